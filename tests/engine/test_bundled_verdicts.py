"""What the product says of freely written texts, with the pair model that travels in the package."""

import random
from pathlib import Path

import pytest

from benchmarks.verdicts import judged, rates, verdicts
from tools.pair_model.groups import KEEP_ONE, Verdict, load, pairs

POLICY = Path(__file__).parents[1] / "policy"


def test_pairs_that_the_thresholds_were_read_from():
    told = rates(judged(POLICY / "pairs_thresholds.jsonl", "model"))
    assert told["false merge"] <= 0.01
    assert told["false split"] <= 0.15
    assert told["supersession right"] >= 0.85
    assert told["wrong supersession"] <= 0.02


@pytest.mark.parametrize("name", ["pairs_build", "pairs_build2", "pairs_first_unseen"])
def test_the_model_takes_nothing_from_what_the_rules_know(name):
    by_rules, with_model = (rates(judged(POLICY / f"{name}.jsonl", how)) for how in ("vectors", "model"))
    assert with_model["false merge"] <= 0.02
    assert with_model["wrong supersession"] <= 0.03
    assert with_model["false split"] <= by_rules["false split"]
    assert with_model["supersession right"] >= by_rules["supersession right"]


@pytest.mark.slow
def test_groups_of_an_author_that_the_model_did_not_learn_from():
    """Full of traps: three quarters of what differs shares nearly all words with the fact beside it."""
    sample = random.Random(7).sample([pair for group in load(only=["g"]) for pair in pairs(group)], 900)
    told = verdicts("model").read([(pair.new, pair.old) for pair in sample])
    said = [
        (pair.verdict, None if one is None else one.verdict) for pair, one in zip(sample, told, strict=True)
    ]

    def share(says, of):
        found = [verdict in says for gold, verdict in said if gold in of]
        return sum(found) / len(found)

    assert share(("same", "merge"), (Verdict.DIFFERENT, Verdict.SUPERSEDES)) <= 0.06
    assert share(("supersede",), (Verdict.DIFFERENT,)) <= 0.03
    assert share(("same", "merge"), KEEP_ONE) >= 0.75
    assert share(("supersede",), (Verdict.SUPERSEDES,)) >= 0.6
