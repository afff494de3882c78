import pytest
from devices import use_device, why_no_gpu
from tiny_pipeline import CORPUS
from tiny_transformer import save_bert


@pytest.fixture(autouse=True)
def _gpu():
    """Run a test on the GPU, or skip it and report why."""
    if reason := why_no_gpu():
        pytest.skip(reason)
    use_device("gpu")
    yield
    use_device("cpu")


@pytest.fixture(scope="session")
def bert(tmp_path_factory):
    words = sorted({word for text, _ in CORPUS for word in text.split()})
    return save_bert(tmp_path_factory.mktemp("bert"), words)


@pytest.fixture(params=["tok2vec", "transformer"])
def encoder(request, bert):
    """The folder of a transformer, or None for a tok2vec."""
    return bert if request.param == "transformer" else None
