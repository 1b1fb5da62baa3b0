#!/usr/bin/env python3
"""That run_page.py passes a page whose lines are in order and no other."""
import contextlib
import io
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_page  # noqa: E402

GOOD = """# A page

    supple 3 > three.txt     # what it counts to
    xdg-open three.txt

<!-- not run: needs a window -->

    ./dev show

<!-- not run "supple away": is far -->

    supple away
    supple 2

<!-- printed -->

    2 lines, 5.00 s

Text that goes on
    and is set in is no block.

<!-- file: scene.toml -->
```toml
[table]
key = 1
```

<!-- adds to: scene.toml: grep -q new SCENE -->
```toml
[table]
new = 2
```

<!-- exit 4 -->

    supple fails

What is typed, and what it says:

    $ supple 7
    9 lines, 9.00 s

```python
print(open("three.txt").read())
```

<!-- slow -->

    supple fails

## Another section

<!-- fresh folder -->

    [ ! -e three.txt ]
"""
BAD = {
    "a block that nobody speaks for": ("<!-- not run: needs a window -->\n", ""),
    "a fence that nobody speaks for": ("<!-- file: scene.toml -->\n", ""),
    "a line of a marked block that is not there any more": ("supple away\n", "supple near\n"),
    "a mark without a block": ("# A page\n", "# A page\n\n<!-- not run: it was slow -->\n\nAnd so on.\n"),
    "a mark without a reason": ("not run: needs a window", "not run"),
    "a comment that is no mark": ("<!-- exit 4 -->", "<!-- exits with 4 -->"),
    "a line that fails": ("    supple 3", "    supple fails"),
    "a line that ends well and should not": ("supple fails", "supple 4"),
    "numbers that are not printed": ("5.00 s", "5.20 s"),
    "words that are not printed": ("9 lines,", "9 lions,"),
    "what cannot be opened": ("xdg-open three.txt", "xdg-open four.txt"),
    "Python that fails": ('open("three.txt")', 'open("four.txt")'),
    "a folder that is not fresh": ("<!-- fresh folder -->\n", ""),
    "a pipe whose first part fails": ("    supple 3 >", "    supple fails | cat >"),
}
PROGRAM = """#!/bin/sh
case "$1" in
  fails) exit 4 ;;
  away) exit 1 ;;
  *) echo "$1 lines, 5.01 s" ;;
esac
"""


def faults(text, folder, slow=False):
    program, stage, page = (os.path.join(folder, name) for name in ("program", "stage", "page.md"))
    os.makedirs(stage, exist_ok=True)
    for name, content in ((program, PROGRAM), (page, text)):
        with open(name, "w") as out:
            out.write(content)
    os.chmod(program, 0o755)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = run_page.main(page, program, stage, os.path.join(folder, "scratch"), slow)
    return status, said.getvalue()


with tempfile.TemporaryDirectory() as folder:
    page = GOOD.replace("    [ ! -e three.txt ]", "    supple 1; [ ! -e three.txt ]")
    status, said = faults(page, folder)
    wrong = ["a page in order: " + said] if status else []
    if faults(page, folder, slow=True)[0] == 0:
        wrong.append("a slow line that fails passed")
    for what, (old, new) in BAD.items():
        assert old in page, old
        if faults(page.replace(old, new, 1), folder)[0] == 0:
            wrong.append(what + " passed")
    sys.exit("\n".join(wrong) or 0)
