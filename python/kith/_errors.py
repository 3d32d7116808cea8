"""What kith raises. Every message says what, where and what to do."""


class Error(Exception):
    """What every error of kith is."""


class UsageError(Error, ValueError):
    """An option is out of range, or contradicts another one; a column or an id is not fit."""


class NotFoundError(Error, LookupError):
    """A file, a run, a URL or the column of a table does not exist."""


class FileError(Error, OSError):
    """The system refused: permission, full disk, read error."""


class CorruptError(Error, ValueError):
    """Bytes are not what their format promises."""


class MemoryLimitError(Error, MemoryError):
    """The option memory is too small for the input."""
