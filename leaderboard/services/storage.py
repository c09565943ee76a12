"""What keeping a file may fail with, for those who tell people of it."""

from __future__ import annotations

import errno

from leaderboard.store.objects import StorageUnavailable

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
"""What the system says where a disk has no room, or takes nothing."""


def cannot_be_kept(error: OSError) -> bool:
    """Whether an error means that the storage refuses a file, and not that something else went wrong."""
    return error.errno in NO_ROOM or isinstance(error, StorageUnavailable)
