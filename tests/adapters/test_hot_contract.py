"""The contract of a hot store, held by the files on disk and by the in-memory one alike."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memorycore.adapters.hot_markdown import FILE_NAMES, MarkdownHotStore
from memorycore.errors import HotFileFull, InvalidInput
from memorycore.model import TARGETS
from memorycore.policy import hot_text
from memorycore.testing_hot import InMemoryHotStore
from tests.adapters.hot_fixtures import LIMITS, NOW, awkward_text, clock, drift_by_the_book, entry, texts


class HandWritten(MarkdownHotStore):
    """The real store, with the fake's way to play another program."""

    def write_by_hand(self, target, raw):
        self._directory.mkdir(exist_ok=True)
        (self._directory / FILE_NAMES[target]).write_text(raw, encoding="utf-8")


@pytest.fixture(params=["markdown", "memory"])
def store(request, tmp_path):
    if request.param == "markdown":
        return HandWritten(tmp_path, LIMITS, clock=clock)
    return InMemoryHotStore(LIMITS, clock=clock)


def test_an_empty_store_has_no_entries_and_knows_its_limits(store):
    for target in TARGETS:
        snapshot = store.read(target)
        assert (snapshot.entries, snapshot.chars, snapshot.warnings) == ((), 0, ())
        assert snapshot.limit == LIMITS[target]


def test_an_entry_comes_back_with_everything_that_was_said_of_it(store):
    one = entry("Never force-push.", kind="rule", importance=0.95)
    two = entry("Tea, not coffee.", kind=None, importance=None, origin=None, written_at=None, updated_at=None)
    assert store.add(one) == "done"
    assert store.add(two) == "done"
    assert store.read("memory").entries == (one, two)
    assert store.read("memory").chars == len("Never force-push.\n§\nTea, not coffee.")
    assert store.read("user").entries == ()


@pytest.mark.parametrize(("at", "place"), [(0, 0), (1, 1), (2, 2), (99, 2), (None, 2)])
def test_an_entry_goes_where_it_is_said_to_go(store, at, place):
    for text in ("a", "b"):
        store.add(entry(text))
    assert store.add(entry("new"), at) == "done"
    assert texts(store).index("new") == place
    assert [text for text in texts(store) if text != "new"] == ["a", "b"]


def test_the_same_text_is_kept_once_and_keeps_its_first_entry(store):
    first = entry("Tea.")
    store.add(first)
    assert store.add(entry("  Tea.\r\n", importance=0.1)) == "present"
    assert store.read("memory").entries == (first,)


def test_remove_takes_out_the_very_text_and_a_second_time_finds_nothing(store):
    longer, shorter = entry("port 8443 is open"), entry("port 8443")
    store.add(longer)
    store.add(shorter)
    assert store.remove(shorter) == "done"
    assert store.remove(shorter) == "present"
    assert store.read("memory").entries == (longer,)


def test_replace_keeps_the_place(store):
    old, new = entry("b"), entry("B, at length")
    for one in (entry("a"), old, entry("c")):
        store.add(one)
    assert store.replace(old, new) == "done"
    assert texts(store) == ["a", "B, at length", "c"]
    assert store.read("memory").entries[1] == new
    assert store.replace(old, new) == "present"


def test_replace_without_its_entry_changes_nothing(store):
    store.add(entry("a"))
    assert store.replace(entry("gone"), entry("new")) == "changed"
    assert texts(store) == ["a"]


def test_replace_by_a_text_that_stands_already_leaves_it_once(store):
    old, other = entry("a"), entry("b")
    store.add(old)
    store.add(other)
    assert store.replace(old, replace(other, importance=0.9)) == "done"
    assert store.read("memory").entries == (replace(other, importance=0.9),)


def joined_store(store):
    kept, gone, both = entry("b", importance=0.9), entry("c", kind=None), entry("b and c")
    for one in (entry("a"), gone, kept, entry("d")):
        store.add(one)
    return kept, gone, both


def test_a_join_makes_one_of_two_and_a_part_gives_both_back_in_their_places(store):
    kept, gone, both = joined_store(store)
    before = store.read("memory").entries
    assert store.join(kept, gone, both) == "done"
    assert texts(store) == ["a", "b and c", "d"]
    assert store.read("memory").entries[1] == both
    assert store.join(kept, gone, both) == "present"
    assert store.part(both, kept, gone, 1) == "done"
    assert store.read("memory").entries == before
    assert store.part(both, kept, gone, 1) == "present"


def test_a_join_without_one_of_both_changes_nothing(store):
    kept, gone, both = joined_store(store)
    for missing in (kept, gone):
        store.remove(missing)
        before = store.read("memory")
        assert store.join(kept, gone, both) == "changed"
        assert store.part(both, kept, gone, 1) == "changed"
        assert store.read("memory") == before
        store.add(missing)


def test_a_join_into_a_text_that_stands_already_leaves_it_once(store):
    kept, gone, both = joined_store(store)
    store.add(both)
    assert store.join(kept, gone, both) == "done"
    assert texts(store) == ["a", "b and c", "d"]


def test_a_part_beside_a_text_that_is_back_already_leaves_it_once(store):
    kept, gone, both = joined_store(store)
    store.join(kept, gone, both)
    for one in (kept, gone):
        store.add(one)
    assert store.part(both, kept, gone, 1) == "done"
    assert texts(store) == ["a", "c", "b", "d"]


def test_a_full_file_has_room_for_a_join_and_none_for_its_undoing(store):
    kept, gone = entry("x" * 1_000), entry("y" * 1_000)
    for one in (kept, gone, entry("z" * 194)):
        store.add(one)
    both = entry("x" * 1_500)
    assert store.join(kept, gone, both) == "done"
    store.add(entry("w" * 400))
    before = store.read("memory")
    with pytest.raises(HotFileFull):
        store.part(both, kept, gone, 0)
    with pytest.raises(HotFileFull):
        store.join(both, entry("w" * 400), entry("v" * 2_201))
    assert store.read("memory") == before


def test_entries_of_two_files_are_neither_joined_nor_parted(store):
    kept, gone, both = joined_store(store)
    elsewhere = replace(gone, target="user")
    for refused in (
        lambda: store.join(kept, elsewhere, both),
        lambda: store.part(both, kept, elsewhere),
        lambda: store.join(kept, gone, entry("a\n§\nb")),
    ):
        with pytest.raises(InvalidInput):
            refused()
    assert texts(store) == ["a", "c", "b", "d"]


def test_replace_by_the_same_text_changes_what_is_said_of_it(store):
    rule_, state = entry("shipped 2026-01-02"), entry("shipped 2026-01-02", kind="state", importance=None)
    store.add(rule_)
    assert store.replace(rule_, state) == "done"
    assert store.read("memory").entries == (state,)
    assert store.replace(state, state) == "present"


def test_replace_across_files_is_refused(store):
    store.add(entry("a"))
    with pytest.raises(InvalidInput):
        store.replace(entry("a"), entry("b", "user"))


def test_what_does_not_fit_is_refused_and_changes_nothing(store):
    old = entry("x" * 2_000)
    store.add(old)
    for change in (
        lambda: store.add(entry("y" * 198)),
        lambda: store.replace(old, entry("y" * 2_201)),
        lambda: store.add(entry("y" * 2_201)),
    ):
        with pytest.raises(HotFileFull):
            change()
    assert store.read("memory").entries == (old,)
    assert store.add(entry("y" * 197)) == "done"
    assert store.read("memory").chars == 2_200


def test_a_foreign_file_over_its_limit_can_be_made_smaller(store):
    store.write_by_hand("memory", "a" * 1_500 + "\n§\n" + "b" * 1_500)
    first, second = store.read("memory").entries
    assert store.replace(first, replace(first, text="a" * 1_000)) == "done"
    assert store.remove(second) == "done"
    assert texts(store) == ["a" * 1_000]


def test_what_others_wrote_has_a_stable_id_and_survives_our_edits(store):
    store.add(entry("ours"))
    store.write_by_hand("memory", "ours\n§\ntheirs\n§\ntheirs too")
    theirs = store.read("memory").entries[1]
    assert theirs == store.read("memory").entries[1]
    assert theirs.id.startswith("h_")
    assert (theirs.kind, theirs.written_at, theirs.importance) == (None, None, None)
    store.add(entry("new"))
    store.remove(entry("ours"))
    assert texts(store) == ["theirs", "theirs too", "new"]


def test_annotate_says_more_of_an_entry_that_is_there(store):
    store.write_by_hand("memory", "theirs")
    told = replace(store.read("memory").entries[0], kind="state", updated_at=NOW)
    assert store.annotate(told) == "done"
    assert store.annotate(told) == "present"
    assert store.read("memory").entries == (told,)
    assert store.annotate(entry("gone")) == "changed"
    assert texts(store) == ["theirs"]


def test_reconcile_types_what_has_no_kind_and_dates_it_from_now(store):
    known = entry("ours", kind="rule")
    store.add(known)
    store.write_by_hand("memory", "ours\n§\ntheirs")
    theirs = store.read("memory").entries[1]
    typed = [replace(theirs, kind="state"), replace(known, kind="state"), entry("gone")]
    assert store.reconcile("memory", typed) == 1
    assert store.read("memory").entries == (
        known,
        replace(theirs, kind="state", written_at=NOW, updated_at=NOW),
    )
    assert store.reconcile("memory", typed) == 0


@settings(max_examples=40, deadline=None)
@given(st.lists(awkward_text, min_size=1, max_size=4))
def test_every_text_is_stored_as_it_is_or_refused(candidates):
    with tempfile.TemporaryDirectory() as directory:
        store = MarkdownHotStore(Path(directory), LIMITS, clock=clock)
        kept = []
        for text in candidates:
            try:
                outcome = store.add(entry(text))
            except InvalidInput:
                continue
            if outcome == "done":
                kept.append(hot_text.normalised(text))
        assert texts(store) == kept


class BothStores(RuleBasedStateMachine):
    """Any order of edits leaves the files and the in-memory model the same."""

    def __init__(self):
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.real = HandWritten(Path(self.directory.name), {"memory": 60, "user": 40}, clock=clock)
        self.model = InMemoryHotStore({"memory": 60, "user": 40}, clock=clock)

    entries = st.builds(
        entry,
        st.sampled_from(["a", "b", "ab", "§", "§\nc", "c\n§\nd", "long " * 6, "记住 😀", "d\r\ne"]),
        st.sampled_from(TARGETS),
        kind=st.sampled_from(["rule", "state", None]),
        importance=st.sampled_from([0.0, 0.9, None]),
        written_at=st.sampled_from([NOW, None]),
    )

    def both(self, call):
        answers = []
        for store in (self.real, self.model):
            try:
                answers.append(call(store))
            except (HotFileFull, InvalidInput) as error:
                answers.append((type(error), error.message))
        assert answers[0] == answers[1]

    @rule(one=entries)
    def add(self, one):
        self.both(lambda store: store.add(one))

    @rule(one=entries)
    def remove(self, one):
        self.both(lambda store: store.remove(one))

    @rule(one=entries, other=entries)
    def replace(self, one, other):
        self.both(lambda store: store.replace(one, other))

    @rule(one=entries, other=entries, third=entries)
    def join(self, one, other, third):
        self.both(lambda store: store.join(one, other, third))

    @rule(one=entries, other=entries, third=entries, at=st.none() | st.integers(0, 3))
    def part(self, one, other, third, at):
        self.both(lambda store: store.part(one, other, third, at))

    @rule(one=entries)
    def annotate(self, one):
        self.both(lambda store: store.annotate(one))

    @rule(typed=st.lists(entries, max_size=2))
    def reconcile(self, typed):
        """Orphans may come and go on disk only, so the counts are not compared."""
        for store in (self.real, self.model):
            store.reconcile("memory", typed)

    @invariant()
    def same(self):
        for target in TARGETS:
            assert self.real.read(target) == self.model.read(target)
            path = Path(self.directory.name) / FILE_NAMES[target]
            assert not path.exists() or not drift_by_the_book(path.read_text(encoding="utf-8"))

    def teardown(self):
        self.directory.cleanup()


TestBothStores = BothStores.TestCase
TestBothStores.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
