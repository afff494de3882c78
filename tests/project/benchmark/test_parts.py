import pytest

from project.benchmark.parts import prediction_shares, training_shares

NETWORK = {
    *("encoder", "pooling to words", "bilstm", "biaffine", "span attention", "criss cross"),
    *("classifier", "rest of the grid network"),
}


def test_shares(runner, examples):
    parts = NETWORK | ({"word pieces, alignment"} if runner.encoder.network is not None else set())
    if runner.encoder.component is None:
        parts -= {"pooling to words"}
    layers = [runner.pipe.model.get_ref(name) for name in ("grid", "tok2vec")]
    before = [layer._func for layer in layers]
    for find, own in (
        (prediction_shares, {"tokenizing", "sentencizer", "decoding", "annotation", "rest"}),
        (training_shares, {"loss", "optimizer", "rest"}),
    ):
        shares = find(runner, examples)
        assert set(shares) == parts | own
        assert sum(shares.values()) == pytest.approx(1)
        assert min(shares.values()) > 0
    # the pipeline does not change
    assert [layer._func for layer in layers] == before
    assert "forward" not in vars(runner.encoder.network or object)
