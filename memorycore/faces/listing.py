"""How settings, findings and registrations look: as rows for programs, as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memorycore.faces.doctor import Finding
from memorycore.faces.hosts import Host, is_secret
from memorycore.settings import Settings

_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "problem": ("✗", "red")}


def config_rows(settings: Settings, sources: dict[str, str]) -> list[dict[str, Any]]:
    """Return a row per setting: name, variable, value, source. A secret's value is masked."""
    return [
        {
            "name": name,
            "variable": field.alias,
            "value": _value(name, getattr(settings, name)),
            "source": sources[name],
        }
        for name, field in Settings.model_fields.items()
    ]


def _value(name: str, value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    return "********" if is_secret(name) else str(value)


def config_table(rows: Sequence[dict[str, Any]]) -> RenderableType:
    """Show the settings."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for column in ("setting", "value", "from", "variable"):
        table.add_column(column, overflow="fold")
    for row in rows:
        value = "" if row["value"] is None else str(row["value"])
        style = "dim" if row["source"] == "default" else "bold"
        table.add_row(row["name"], Text(value, style=style), row["source"].split()[0], row["variable"])
    return table


def finding_rows(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return a row per finding."""
    return [asdict(finding) for finding in findings]


def finding_table(findings: Sequence[Finding]) -> RenderableType:
    """Show the findings, and below each that is not ok how to mend it."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for finding in findings:
        mark, style = _MARKS[finding.health]
        detail = Text(finding.detail)
        if finding.mend:
            detail.append(f"\n→ {finding.mend}", style=style)
        table.add_row(Text(mark, style=style), finding.what, detail)
    return table


def host_rows(hosts: Sequence[Host]) -> list[dict[str, Any]]:
    """Return a row per host."""
    return [asdict(host) for host in hosts]


def host_text(hosts: Sequence[Host]) -> RenderableType:
    """Show the registrations, ready to be copied; to be printed without wrapping."""
    parts: list[RenderableType] = []
    for host in hosts:
        parts.append(Text.assemble((host.name, "bold"), (f"  {host.where}", "dim")))
        parts.append(Text(f"{host.text}\n"))
    return Group(*parts)
