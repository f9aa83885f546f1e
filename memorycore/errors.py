"""The tree of errors.

    MemoryCoreError
    ├── InvalidInput            the caller sent something that can't be stored or asked
    ├── UnknownId               no entry, record or trash item has this id
    ├── SettingsError           a setting can't be used as it stands
    ├── LexiconError            a lexicon file is malformed or contradicts itself
    ├── HotFileError            MEMORY.md / USER.md or a sidecar
    │   ├── HotFileUnreadable   the file is there but can't be understood; it is left as it is
    │   ├── HotFileBusy         the lock or the rename was refused for too long
    │   ├── HotFileUnwritable   the disk or its permissions refuse the write
    │   └── HotFileFull         the entry does not fit into the file's limit
    ├── StoreError              a SQLite file of ours
    │   ├── StoreUnavailable    can't be opened or written now
    │   ├── StoreCorrupt        is damaged
    │   └── StoreTooNew         was written by a newer MemoryCore
    ├── EmbedderError           no vector could be made
    │   ├── EmbedderUnavailable the model or its endpoint is not there
    │   └── EmbedderMismatch    the vector is of the wrong length, zero or not finite
    ├── HostConfigError         a host's configuration can't be read or edited safely; it is left as it is
    ├── JudgeUnavailable        the judge's endpoint does not answer; the rules decide
    └── PairModelUnavailable    the pair model can't be loaded; words and rules decide

Every error says what is wrong in its message and what to do next in `advice`.
Raising one means that nothing was written and nothing was lost.
"""


class MemoryCoreError(Exception):
    """Base of everything that MemoryCore raises on purpose.

    `advice` is a sentence that tells the reader what to do next.
    """

    def __init__(self, message: str, *, advice: str) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message} {self.advice}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.advice))


def _rebuild(kind: type[MemoryCoreError], message: str, advice: str) -> MemoryCoreError:
    return kind(message, advice=advice)


class InvalidInput(MemoryCoreError):
    """Raised when an argument is outside what its contract allows."""


class UnknownId(MemoryCoreError):
    """Raised when an id names nothing in the hot tier, the cold tier or the trash."""


class SettingsError(MemoryCoreError):
    """Raised when a setting's value can't be used."""


class LexiconError(MemoryCoreError):
    """Raised when a lexicon file can't be loaded."""


class HotFileError(MemoryCoreError):
    """Base of the errors about the hot files."""


class HotFileUnreadable(HotFileError):
    """Raised when a hot file exists but can't be decoded; it is never overwritten."""


class HotFileBusy(HotFileError):
    """Raised when another process keeps the lock or the file for longer than we wait."""


class HotFileUnwritable(HotFileError):
    """Raised when a hot file can't be written for a reason that waiting does not cure."""


class HotFileFull(HotFileError):
    """Raised when an entry does not fit into what is left of a hot file's limit."""


class StoreError(MemoryCoreError):
    """Base of the errors about a database of ours."""


class StoreUnavailable(StoreError):
    """Raised when a database can't be opened, read or written at the moment."""


class StoreCorrupt(StoreError):
    """Raised when a database is damaged; the file is left as it is."""


class StoreTooNew(StoreError):
    """Raised when a database has a schema that this version does not know."""


class EmbedderError(MemoryCoreError):
    """Base of the errors about embeddings."""


class EmbedderUnavailable(EmbedderError):
    """Raised when the embedder can't answer; the caller stores without a vector."""


class EmbedderMismatch(EmbedderError):
    """Raised when a vector is of the wrong length, zero, or holds NaN or infinity."""


class PairModelUnavailable(MemoryCoreError):
    """Raised when the pair model can't answer; words and rules decide without it."""


class HostConfigError(MemoryCoreError):
    """Raised when a host's configuration file, or the host itself, is not as an installation needs it."""


class JudgeUnavailable(MemoryCoreError):
    """Raised when the judge's endpoint does not answer; the rules decide without it."""
