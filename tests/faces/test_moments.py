"""Times as people type them, and what is assumed of them."""

import time
from datetime import UTC, datetime

import pytest

from memorycore.errors import InvalidInput
from memorycore.faces.moments import moment
from tests.faces.test_cli import call, data, home  # noqa: F401


@pytest.fixture
def shanghai(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_time_with_an_offset_is_taken_as_it_is():
    read = moment("2027-03-01T09:00+09:00")
    assert (read.time.astimezone(UTC), read.assumed) == (datetime(2027, 3, 1, tzinfo=UTC), None)
    assert moment(" 2027-03-01T09:00Z ").time == datetime(2027, 3, 1, 9, tzinfo=UTC)


def test_a_time_without_an_offset_is_local_and_that_is_said(shanghai):
    read = moment("2027-03-01T08:00")
    assert read.time.astimezone(UTC) == datetime(2027, 3, 1, tzinfo=UTC)
    assert "local time: 2027-03-01T08:00:00+08:00" in read.assumed


def test_a_date_is_its_end_so_that_today_is_not_past(shanghai):
    read = moment("2027-03-01")
    assert read.time.astimezone(UTC) == datetime(2027, 3, 1, 15, 59, 59, tzinfo=UTC)
    assert "the end of the day" in read.assumed
    assert moment(f"{datetime.now().astimezone():%Y-%m-%d}").time >= datetime.now(UTC).replace(microsecond=0)


@pytest.mark.parametrize("text", ["tomorrow", "2027-13-01", "2027-02-30T10:00", "", "9999-99"])
def test_what_is_no_time_is_refused_with_an_example(text):
    with pytest.raises(InvalidInput) as caught:
        moment(text)
    assert "2027-03-01" in caught.value.advice


def test_the_audit_looks_ahead_and_says_so():
    data("store", "Never deploy on a Friday.", "--importance", "0.9")
    answer = call("audit", "--at", "2999-03-01", "--json")
    assert "local time" in answer.stderr
    assert '"at": "2999-03-0' in answer.stdout
    assert "at 2999-03-01" in call("audit", "--at", "2999-03-01T00:00Z", "--text").stdout
    assert data("audit")["at"] is None


@pytest.mark.parametrize("at", ["2001-03-01", "someday"])
def test_a_past_or_unreadable_time_is_wrong_use(at):
    result = call("audit", "--at", at, code=2)
    assert result.stdout == ""
    assert result.stderr.strip()
