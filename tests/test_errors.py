"""The tree of errors is as drawn, every error travels between processes, and each gives advice."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
from pathlib import Path

import pytest

from memorycore import errors
from memorycore.errors import MemoryCoreError

ALL = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, MemoryCoreError)]
PACKAGE = Path(errors.__file__).parent


def drawn() -> dict[str, str]:
    """Parents by name, read from the tree in the docstring by how far each line is indented."""
    parents, path = {}, []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^(?P<indent>[ │├└─]*)(?P<name>[A-Z]\w+)(?: .*)?$", line)
        if found is None:
            continue
        depth = len(found["indent"]) // 4
        if depth == 0:
            continue
        path[depth - 1 :] = [found["name"]]
        if depth > 1:
            parents[found["name"]] = path[-2]
    return parents


def test_the_tree_is_as_drawn():
    assert drawn() == {
        kind.__name__: kind.__bases__[0].__name__ for kind in ALL if kind is not MemoryCoreError
    }


@pytest.mark.parametrize("kind", ALL)
def test_an_error_survives_pickling(kind):
    error = kind("It broke.", advice="Mend it.")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.message, again.advice) == (kind, "It broke.", "Mend it.")
    assert str(again) == str(error) == "It broke. Mend it."


def raised():
    """Each place in the package where an error of ours is made."""
    names = {kind.__name__ for kind in ALL}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                yield pytest.param(node, id=f"{path.name}:{node.lineno}")


@pytest.mark.parametrize("call", list(raised()))
def test_every_error_of_the_package_gives_advice(call):
    advice = next((word.value for word in call.keywords if word.arg == "advice"), None)
    assert advice is not None
    if isinstance(advice, ast.Constant):
        assert advice.value.endswith(".")


@pytest.mark.parametrize("kind", ALL)
def test_an_error_without_advice_cannot_be_made(kind):
    with pytest.raises(TypeError):
        kind("It broke.")
