"""Dates in texts: which forms are read, and that no text breaks the reading."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.policy.dates import event_date, mentions_date

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("closed on 2026-03-02 at noon", (2026, 3, 2)),
        ("2026/3/2 关闭", (2026, 3, 2)),
        ("２０２６－０３－０２", (2026, 3, 2)),
        ("2026.3.2", (2026, 3, 2)),
        ("am 02.03.2026 beendet", (2026, 3, 2)),
        ("March 2, 2026", (2026, 3, 2)),
        ("Mar. 2nd 2026", (2026, 3, 2)),
        ("2 Mar 2026", (2026, 3, 2)),
        ("the 2nd of March, 2026", (2026, 3, 2)),
        ("2026年3月2日签约", (2026, 3, 2)),
        ("2026 年 3 月 2 號", (2026, 3, 2)),
        ("12月25日聚餐", (2026, 12, 25)),
        ("2月29日", None),  # no leap year within half a year
        ("first 2026-02-31, then 2026-03-01", (2026, 3, 1)),
    ],
)
def test_the_first_real_day_is_found(text, expected):
    found = event_date(text, NOW)
    assert found == (None if expected is None else datetime(*expected, tzinfo=UTC))


def test_a_day_without_a_year_is_the_nearest_one():
    assert event_date("12月28日", datetime(2027, 1, 5, tzinfo=UTC)) == datetime(2026, 12, 28, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "version 3.11.2026.4",
        "3/2/2026",
        "call 555-2026-03",
        "may 5 people come",
        "in 2026",
        "192.168.4.20",
        "",
    ],
)
def test_what_is_no_day_is_not_read_as_one(text):
    assert event_date(text, NOW) is None
    assert not mentions_date(text)


@pytest.mark.parametrize("text", ["March 2026", "2026年3月", "2月29日", "2 May 2026", "closed 2026-03"])
def test_months_of_a_year_and_days_count_as_dates(text):
    assert mentions_date(text)


@settings(deadline=None)
@given(
    st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)),
    st.text(max_size=20),
)
def test_iso_dates_survive_any_neighbours(day, around):
    text = f"{around} {day.isoformat()} done"
    if event_date(around, NOW) is None:
        assert event_date(text, NOW) is not None
    assert event_date(f"x {day.isoformat()} y", NOW) == datetime(day.year, day.month, day.day, tzinfo=UTC)


@settings(deadline=None)
@given(st.text())
def test_a_text_that_names_a_day_mentions_a_date(text):
    if event_date(text, NOW) is not None:
        assert mentions_date(text)
