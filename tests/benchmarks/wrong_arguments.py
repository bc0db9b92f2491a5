"""Wrong values in the arguments of every public function, class and method, at random or each in each argument.

Run: PYTHONPATH=.:tests python tests/benchmarks/wrong_arguments.py [seed, or "all"] [calls of each]. Prints how many
calls were taken, refused in words, or failed, and each different failure; exits 1 if there is one.
"""

import os
import sys
import tempfile
import time
from collections import Counter

from support.wrong_values import every, is_nowhere_right, outcome, tries


def main() -> int:
    """Make the calls; return 1 if any failed."""
    seed, each = (*sys.argv[1:3], *("1", "70")[len(sys.argv) - 1 :])
    os.chdir(tempfile.mkdtemp())
    count, failures, begin = Counter(), {}, time.time()
    several = int(each) // 4
    for name, target, arguments, changed in (
        every() if seed == "all" else tries(int(seed), int(each) - several, several)
    ):
        kind, said = outcome(name, target, arguments)
        if kind == "taken" and any(map(is_nowhere_right, changed.values())):
            kind = "silent"
        count[kind] += 1
        if kind in ("raw", "hangs", "silent"):
            failures.setdefault((name, kind, said[:60]), f"{changed!r:.160} {said}")
    print(f"seed {seed}: {sum(count.values())} calls in {time.time() - begin:.0f} s: {dict(count)}")
    print(f"{len(failures)} different failures")
    for (name, kind, _), what in sorted(failures.items()):
        print(f"  {name}: {kind}: {what}".replace("\\n", " "))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
