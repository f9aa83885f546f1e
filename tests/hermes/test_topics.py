"""What a store is about, in a few words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.topics import given_topics, topics

TEXTS = [
    "The PostgreSQL backup runs at 03:00.",
    "Backups of PostgreSQL go to the NAS.",
    "The NAS stands in the cellar.",
    "Robin likes tea.",
    "项目蓝鹭的部署端口是 8443。",
    "蓝鹭的负责人是陈敏。",
]


def test_frequent_terms_are_topics_and_single_ones_are_not():
    assert set(topics(TEXTS, 10)) == {"PostgreSQL", "NAS", "backup", "蓝鹭"}


def test_what_every_memory_is_full_of_is_no_topic():
    assert topics(["The user always prefers this.", "The user never wants that."], 5) == ()


def test_given_topics_are_taken_as_they_are():
    assert given_topics(" garden ,Blue  Heron，设备、garden") == ("garden", "Blue Heron", "设备")
    assert given_topics("  ,") == ()


@given(st.permutations(TEXTS), st.integers(0, 5))
def test_the_order_of_the_texts_does_not_matter(texts, limit):
    assert topics(texts, limit) == topics(TEXTS, limit)
    assert len(topics(texts, limit)) <= limit
