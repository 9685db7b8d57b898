"""`not CMD`: passes when CMD fails; `not N CMD`: passes when CMD ends with status N.

In both cases a signal or a Python traceback on the standard error is a failure: a refusal is never a crash.
"""

import subprocess
import sys


def main(words: list[str]) -> int:
    """Run the command in ``words``; 0 when it failed in the way that was asked for."""
    wanted: int | None = None
    if words and words[0].isdigit():
        wanted, words = int(words[0]), words[1:]
    done = subprocess.run(words, stderr=subprocess.PIPE, check=False)
    sys.stderr.buffer.write(done.stderr)
    sys.stderr.flush()
    if done.returncode < 0:
        print(f"not: killed by signal {-done.returncode}: {' '.join(words)}", file=sys.stderr)
        return 1
    if b"Traceback (most recent call last)" in done.stderr:
        print("not: a traceback was printed", file=sys.stderr)
        return 1
    if wanted is None:
        return 1 if done.returncode == 0 else 0
    if done.returncode != wanted:
        print(f"not: status {done.returncode}, expected {wanted}: {' '.join(words)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
