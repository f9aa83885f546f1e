"""The address of an HTTP endpoint, as far as it may be shown."""

from __future__ import annotations

from urllib.parse import urlsplit

from memorycore.errors import SettingsError


def host_of(url: str, what: str, *, advice: str) -> str:
    """Return host and port, without a user or a password.

    Raises `SettingsError`, which calls the endpoint `what`, for what is no address of HTTP.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _unusable(url, what, advice) from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _unusable(url, what, advice)
    return f"{parts.hostname}:{port}" if port else parts.hostname


def _unusable(url: str, what: str, advice: str) -> SettingsError:
    return SettingsError(f"The {what} can't be {url.rpartition('@')[2]!r}.", advice=advice)
