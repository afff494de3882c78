import asyncio
import threading
import time
from contextvars import ContextVar

import pytest

from spacy_gapdner.serving.turnstile import Gone, Turnstile

DEVICE = ContextVar("DEVICE", default="cpu")


async def never():
    await asyncio.Event().wait()


def test_the_thread_has_the_callers_context():
    # thinc keeps there whether it works on a GPU
    turnstile = Turnstile(1)

    async def ask(device):
        DEVICE.set(device)
        return await turnstile.run(DEVICE.get, never())

    assert [asyncio.run(ask(device)) for device in ("gpu", "other")] == ["gpu", "other"]


def test_a_caller_that_gives_up_leaves_its_place():
    turnstile = Turnstile(1)

    async def ask():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(turnstile.run(lambda: time.sleep(0.2), never()), 0.01)
        return await turnstile.run(lambda: "next", never())

    assert asyncio.run(ask()) == "next"


def test_who_has_gone_is_passed_over():
    turnstile = Turnstile(2)
    called = []
    leave = threading.Event()

    async def ask():
        first = asyncio.create_task(turnstile.run(lambda: leave.wait(30), never()))
        await asyncio.sleep(0)
        for _ in range(3):
            with pytest.raises(Gone):
                await turnstile.run(lambda: called.append(1), asyncio.sleep(0))
        leave.set()
        assert await first
        return await turnstile.run(lambda: "next", never())

    assert asyncio.run(ask()) == "next"
    assert called == []


def test_who_has_gone_is_passed_over_before_the_loop_turns():
    turnstile = Turnstile(2)
    called = []
    leave, next_turn = threading.Event(), threading.Event()

    async def ask():
        first = asyncio.create_task(turnstile.run(lambda: leave.wait(30), never()))
        await asyncio.sleep(0)
        with pytest.raises(Gone):
            await turnstile.run(lambda: called.append(1), asyncio.sleep(0))
        leave.set()
        # the thread goes on while the loop stands
        turnstile._thread.submit(next_turn.set)
        assert next_turn.wait(30)
        assert await first

    asyncio.run(ask())
    assert called == []
