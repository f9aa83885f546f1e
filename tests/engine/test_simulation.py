"""A week in small: what the benchmark of sixty days does with a real model, here by words alone."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.daily_life import Life
from benchmarks.sixty_days import LIMITS, plot, simulate, table
from benchmarks.svg import line_plot

DAYS = 6


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    return simulate(tmp_path_factory.mktemp("life"), Life(per_day=25, days=DAYS), DAYS, words_only=True)


def test_the_files_stay_inside_their_budgets_and_nothing_is_lost(days):
    assert [day.number for day in days if day.inside] == list(range(1, DAYS + 1))
    assert all(day.chars[target] <= LIMITS[target] for day in days for target in LIMITS)
    assert all(days[-1].chars[target] > 0 for target in LIMITS)
    assert [text for day in days for text in day.lost] == []
    assert [text for day in days for text in day.protected_lost] == []
    assert days[-1].doubles == []  # distinct facts: none may be taken for another


def test_the_days_are_of_all_kinds(days):
    statuses = sum((day.statuses for day in days), Counter())
    assert {"stored", "cold_stored", "stale", "cold_duplicate"} <= set(statuses)
    assert sum(count for name, count in statuses.items() if not name.startswith("(")) == 25 * DAYS


def test_facts_alone_stay_inside_too(tmp_path):
    found = simulate(tmp_path, Life(facts_only=True, per_day=20, days=3), 3, words_only=True)
    assert all(day.inside and not day.lost for day in found)


def test_the_table_and_the_plot_show_every_file(days):
    assert f"days inside both budgets: {DAYS} of {DAYS}" in table(days)
    picture = plot(days)
    assert picture.startswith("<svg")
    assert picture.count("<polyline") == len(LIMITS)
    assert {"MEMORY.md", "USER.md", "soft", "hard"} <= set(picture.replace("<", ">").split(">"))


def test_a_plot_keeps_its_lines_inside_and_escapes_names():
    picture = line_plot("a < b", {"x & y": [0, 250]}, marks={})
    assert "a &lt; b" in picture
    assert "x &amp; y" in picture
    (points,) = [line.split('"')[1] for line in picture.splitlines() if line.startswith("<polyline")]
    assert all(0 <= float(value) <= 720 for pair in points.split() for value in pair.split(","))
