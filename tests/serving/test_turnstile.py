import asyncio
import time
from contextvars import ContextVar

import pytest

from spacy_gapdner.serving.turnstile import Turnstile

DEVICE = ContextVar("DEVICE", default="cpu")


def test_the_thread_has_the_callers_context():
    # thinc keeps there whether it works on a GPU
    turnstile = Turnstile(1)

    async def ask(device):
        DEVICE.set(device)
        return await turnstile.run(DEVICE.get)

    assert [asyncio.run(ask(device)) for device in ("gpu", "other")] == ["gpu", "other"]


def test_a_caller_that_gives_up_leaves_its_place():
    turnstile = Turnstile(1)

    async def ask():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(turnstile.run(lambda: time.sleep(0.2)), 0.01)
        return await turnstile.run(lambda: "next")

    assert asyncio.run(ask()) == "next"
