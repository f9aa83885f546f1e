"""What holds for every pair model, and what the one that travels with the package must know."""

import threading

import numpy as np
import pytest

from memorycore.adapters import pair_model
from memorycore.adapters.pair_model import MOST_CHARS, BundledPairModel
from memorycore.errors import PairModelUnavailable
from memorycore.testing import ScriptedPairModel
from tests.adapters.test_embedder_contract import LONG, NASTY

PAIRS = [
    ("The billing API listens on 9443.", "Billing's API is on port 8443."),
    ("香菜，我妈一口都不碰。", "做菜别给我妈放芫荽，她不吃的"),
    ("Olamide is Dmitri's manager", "Dmitri reports to Olamide."),
    ("Ben is learning the cello.", "The build needs Node 22, older ones fail in the linker."),
]


@pytest.fixture(scope="module")
def bundled():
    return BundledPairModel()


@pytest.fixture(params=["bundled", "scripted"])
def model(request, bundled):
    return bundled if request.param == "bundled" else ScriptedPairModel({PAIRS[0]: "supersedes"})


def values(told):
    return np.array([told.different, told.same, told.adds, told.held, told.supersedes])


def test_answers_come_one_per_pair_in_their_order(model):
    together = model.compare(PAIRS)
    assert len(together) == len(PAIRS)
    for pair, told in zip(PAIRS, together, strict=True):
        assert values(told) == pytest.approx(values(model.compare([pair])[0]), abs=1e-4)
    assert model.compare([]) == []


def test_likelihoods_are_shares_of_one(model):
    for told in model.compare(PAIRS):
        assert (values(told) >= 0).all()
        assert values(told).sum() == pytest.approx(1, abs=1e-3)


def test_any_text_is_answered_or_left_unread(model):
    pairs = [(nasty, "a fact") for nasty in (*NASTY, "", " ", *LONG)]
    pairs += [(old, new) for new, old in pairs]
    for told in model.compare(pairs):
        assert told is None or np.isfinite(values(told)).all()


def test_what_is_too_long_to_be_read_whole_is_not_read(model):
    long = "The lamp in the hall is green. " * (MOST_CHARS // 20)
    read, unread = model.compare([PAIRS[0], (long, long)])
    assert read is not None
    assert unread is None


def test_threads_may_share_one(model):
    told = []
    threads = [threading.Thread(target=lambda: told.append(model.compare(PAIRS[:2]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 4
    for one, other in told:
        assert values(one) == pytest.approx(values(told[0][0]), abs=1e-4)
        assert values(other) == pytest.approx(values(told[0][1]), abs=1e-4)


def test_length_alone_leaves_an_unread_text_unread(bundled):
    many_pieces = " ".join(chr(0x4E00 + at * 7) for at in range(200))
    assert bundled.compare([(many_pieces, "a fact")]) == [None]


@pytest.mark.parametrize(
    "text", ["Бен живёт в Осло.", "벤은 오슬로에 산다.", "بن يعيش في أوسلو", "ベンはオスロに住んでいる"]
)
def test_a_script_that_it_has_no_pieces_for_is_not_read(bundled, text):
    assert (
        bundled.compare([(text, text), (text, "Ben lives in Oslo."), ("Ben lives in Oslo.", text)])
        == [None] * 3
    )


def test_missing_weights_say_what_to_do(monkeypatch):
    monkeypatch.setattr(pair_model, "_FILE", "no-such-file.npz")
    with pytest.raises(PairModelUnavailable, match="MEMORYCORE_PAIR_MODEL=none"):
        BundledPairModel().compare(PAIRS)
