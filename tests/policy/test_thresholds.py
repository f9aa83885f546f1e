"""The numbers of the policy, as promised, and what they refuse to be."""

from __future__ import annotations

import pytest

from memorycore.policy.thresholds import Thresholds


def test_the_defaults_are_the_promised_ones():
    given = Thresholds()
    assert (given.soft, given.hard, given.target) == (0.6, 0.8, 0.4)
    assert (given.hot_importance, given.protect_importance) == (0.8, 0.9)
    assert (given.state_ttl_days, given.trash_days, given.half_life_days) == (7, 30, 90.0)
    assert (given.stale_chars, given.cold_soft, given.cold_hard) == (80, 6_000, 10_000)
    assert given.overflow_rounds == 3


@pytest.mark.parametrize(
    "shares",
    [
        {"soft": 0.4},
        {"hard": 0.6},
        {"hard": 1.1},
        {"target": 0.0},
        {"target": -0.1},
        {"target": 0.7},
        {"soft": float("nan")},
    ],
    ids=str,
)
def test_shares_out_of_order_are_refused(shares):
    with pytest.raises(ValueError, match="target < soft < hard"):
        Thresholds(**shares)
