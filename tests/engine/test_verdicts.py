"""The rules first, the model where words don't tell, and the rules alone where the model fails."""

from memorycore.engine.verdicts import Verdicts
from memorycore.testing import ScriptedPairModel

NEW, SAME, OTHER = (
    "Mum won't touch coriander.",
    "No cilantro for my mother, she refuses it.",
    "Dad grows coriander on the balcony.",
)


def test_the_model_decides_what_the_rules_leave_open():
    verdicts = Verdicts(ScriptedPairModel({(NEW, SAME): "same", (SAME, NEW): "same"}))
    same, other = verdicts.judge(NEW, [(SAME, 0.7), (OTHER, 0.6)])
    assert (same.verdict, other.verdict) == ("same", "different")


def test_what_the_rules_know_is_not_read():
    model = ScriptedPairModel()
    (told,) = Verdicts(model).judge(NEW, [(NEW, 1.0)])
    assert told.verdict == "same"
    assert model.asked == []


def test_beside_the_very_text_nothing_is_read():
    model = ScriptedPairModel()
    told = Verdicts(model).judge(NEW, [(SAME, 0.7), (NEW, 1.0)])
    assert [one.verdict for one in told] == ["different", "same"]
    assert model.asked == []


def test_far_texts_get_no_verdict():
    assert Verdicts(ScriptedPairModel()).judge(NEW, [("Port 22 is closed.", 0.05)]) == [None]


def test_a_pair_is_read_once():
    model = ScriptedPairModel({(NEW, SAME): "same", (SAME, NEW): "same"})
    verdicts = Verdicts(model)
    told = [verdicts.judge(NEW, [(SAME, 0.7), (SAME, 0.7)]) for _ in range(3)]
    assert all(one is not None and one.verdict == "same" for pair in told for one in pair)
    assert model.asked == [(NEW, SAME), (SAME, NEW)]


def test_only_the_nearest_are_read():
    model = ScriptedPairModel()
    others = [(f"Somebody, number {at}, keeps herbs.", 0.3 + at / 100) for at in range(30)]
    Verdicts(model).judge(NEW, others, most=3)
    assert model.asked == [(NEW, text) for text, _ in others[:-4:-1]]


def test_without_a_model_the_rules_stand():
    verdicts = Verdicts()
    (told,) = verdicts.judge(NEW, [(SAME, 0.7)])
    assert told.verdict == "different"
    assert (verdicts.reads, verdicts.fault) == (False, None)


def test_a_model_that_fails_is_asked_once_and_told():
    model = ScriptedPairModel({(NEW, SAME): "same", (SAME, NEW): "same"})
    verdicts = Verdicts(model)
    assert verdicts.reads
    model.down = True
    (told,) = verdicts.judge(NEW, [(SAME, 0.7)])
    assert told.verdict == "different"
    assert not verdicts.reads
    assert "The script is down." in verdicts.fault
    model.down = False
    verdicts.judge(NEW, [(SAME, 0.7)])
    assert model.asked == []
