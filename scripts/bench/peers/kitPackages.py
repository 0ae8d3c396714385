"""Packages of a kit, for a machine that lacks them."""

import sys
from pathlib import Path

# Where a kit has them.
SITE = Path(__file__).parents[3] / "site"


def with_kit(load, site=SITE):
    """What `load` imports: from the machine's packages or, if that fails, with those of the kit before them.

    All or none: the kit's fit each other, and may not fit another version of one of them.
    """
    try:
        return load()
    except Exception:
        if not Path(site).is_dir():
            raise
    sys.path.insert(0, str(site))
    ours = {path.stem for path in Path(site).iterdir()}
    for name in list(sys.modules):
        if name.split(".")[0] in ours:
            del sys.modules[name]
    return load()
