#!/usr/bin/env python3
"""run_page.py PAGE PROGRAM STAGE FOLDER [--slow]: runs the lines of a page of documentation, one after the other as a reader
types them, in FOLDER, with what is in STAGE beside them. A line that is neither run nor marked as not run is a failure,
as is a mark that no line needs any more (page.py has the marks)."""
import difflib
import os
import re
import shutil
import subprocess
import sys
import time

import page as pages

STANDING_IN = {
    # Looks at what a window would show: it must be there, and be such a file.
    "xdg-open": r"""#!/bin/sh
case "$1" in
  *.html) head -c 200 "$1" | grep -qi '<!doctype html' ;;
  *.glb) [ "$(head -c 4 "$1")" = glTF ] ;;
  *) [ -s "$1" ] ;;
esac || { echo "$1 cannot be opened" >&2; exit 1; }
""",
    # What a reader writes is in the page, and written already.
    "editor": '#!/bin/sh\n[ -s "$1" ] || { echo "$1: the page does not say what is in it" >&2; exit 1; }\n',
    # interrupted COMMAND: runs it until frames are kept, then presses Ctrl-C.
    "interrupted": r"""#!/usr/bin/env python3
import os, signal, subprocess, sys, time
folder = sys.argv[sys.argv.index("-o") + 1]
run = subprocess.Popen(sys.argv[1:])
while run.poll() is None and not os.path.exists(os.path.join(folder, "checkpoint")):
    time.sleep(0.005)
run.send_signal(signal.SIGINT)
sys.exit(0 if run.wait() == 130 else "it was done before it could be stopped")
""",
}


class Failure(Exception):
    pass


class Reader:
    """Someone at a terminal with the page before him."""

    def __init__(self, program, stage, folder):
        self.stage, self.folder, self.number = stage, folder, 0
        self.tools = os.path.join(folder, "bin")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(self.tools)
        for name, text in STANDING_IN.items():
            with open(os.path.join(self.tools, name), "w") as out:
                out.write(text)
            os.chmod(os.path.join(self.tools, name), 0o755)
        os.symlink(program, os.path.join(self.tools, "supple"))
        self.program = program
        self.environment = dict(os.environ, PATH=self.tools + os.pathsep + os.environ["PATH"], EDITOR="editor",
                                XDG_STATE_HOME=os.path.join(folder, "state"),
                                SUPPLE_CACHE=os.environ.get("SUPPLE_CACHE") or os.path.join(folder, "cache"))
        self.said = ""
        self.timed = []
        self.begin()

    def begin(self):
        self.number += 1
        self.here = os.path.join(self.folder, str(self.number))
        shutil.copytree(self.stage, self.here)
        os.makedirs(os.path.join(self.here, "build"))
        os.symlink(self.program, os.path.join(self.here, "build", "supple"))

    def run(self, text, status=0):
        began = time.time()
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], cwd=self.here, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, errors="replace")
        self.timed.append((time.time() - began, text))
        self.said += done.stdout
        if done.returncode != status:
            raise Failure("%s\n%sends with status %d, not %d" % (text, done.stdout, done.returncode, status))

    def write(self, name, lines):
        with open(os.path.join(self.here, name), "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")

    def expect_printed(self, lines, loosely):
        heard = [words(l) for l in self.said.replace("\r", "\n").split("\n")]
        for line in lines:
            if line.strip() and not any(alike(words(line), h, loosely) for h in heard):
                near = difflib.get_close_matches(line, self.said.split("\n"), 3, 0.3)
                raise Failure("no command before it printed: %s\nnearest to it: %s" % (line, "\n".join(near)))


NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def words(line):
    return re.findall(NUMBER + r"|[^\s\d]+", line)


def alike(shown, heard, loosely):
    """Whether a line shows what was heard: the same words, and numbers that differ by no more than 2 %."""
    if len(shown) != len(heard):
        return False
    for a, b in zip(shown, heard):
        if re.fullmatch(NUMBER, a) and re.fullmatch(NUMBER, b):
            if not loosely and abs(float(a) - float(b)) > 0.02 * abs(float(a)):
                return False
        elif a != b:
            return False
    return True


def added(base, lines):
    """The lines of a scene with tables of `lines` in place of those of the same name."""
    new = {m.group(1) for m in (re.match(r"\s*\[([^\[\]]+)\]", l) for l in lines) if m}
    out, keep = [], True
    for line in base:
        header = re.match(r"\s*\[\[?([^\[\]]+)\]", line)
        if header:
            keep = header.group(1) not in new
        if keep:
            out.append(line)
    return out + [""] + lines


def run_block(reader, block):
    spared = [m for m in block.marks if m[1] == "not run"]
    whole = next((m for m in spared if m[2] is None), None)
    first = block.mark("first")
    if whole:
        return
    kind = block.kind()
    if kind is None:
        raise Failure("neither run nor marked: " + (block.lines[0] if block.lines else ""))
    if kind != pages.PRINTED or first:
        reader.said = ""  # lines that are said to be printed are those of the last commands
    if first:
        reader.run(first[3])
    if kind == pages.FILE:
        pass  # written when the page began
    elif kind == pages.SCENE:
        name, _, command = block.mark("adds to")[3].partition(":")
        path = os.path.join(reader.here, name.strip())
        if not os.path.exists(path):
            raise Failure("there is no %s to add it to" % name)
        with open(path) as base:
            lines = added(base.read().split("\n"), block.lines)
        copy = os.path.join(os.path.dirname(name.strip()), "added_%d.toml" % block.line)
        reader.write(copy, lines)
        reader.run((command.strip() or "supple check SCENE").replace("SCENE", copy))
    elif kind == pages.PRINTED:
        reader.expect_printed(block.lines, block.mark("printed") is None)
    elif kind == pages.PYTHON:
        name = "block_%d.py" % block.line
        reader.write(name, block.lines)
        reader.run("python3 " + name)
    else:
        commands, printed = block.commands()
        status = int(block.mark("exit")[3]) if block.mark("exit") else 0
        used = set()
        for line, text in commands:
            mark = next((m for m in spared if text.startswith(m[2])), None)
            if mark:
                used.add(mark)
                continue
            try:
                reader.run(text, status)
            except Failure as fault:
                raise Failure("line %d: %s" % (line, fault)) from None
        for mark in spared:
            if mark not in used:
                raise Failure('line %d: no line begins with "%s" any more' % (mark[0], mark[2]))
        reader.expect_printed([text for _, text in printed], True)


def main(path, program, stage, folder, slow):
    blocks, faults = pages.read(path)
    reader = Reader(os.path.abspath(program), os.path.abspath(stage), os.path.abspath(folder))
    for fault in faults:
        print("%s:%d: %s" % (path, *fault))
    bad, n = len(faults), 0

    def files_from(k):  # those that the page shows before the next fresh folder
        for block in blocks[k:]:
            if isinstance(block, int):
                return
            if block.kind() == pages.FILE:
                reader.write(block.mark("file")[3], block.lines)

    files_from(0)
    for k, block in enumerate(blocks):
        if isinstance(block, int):
            reader.begin()
            files_from(k + 1)
            continue
        n += 1
        if block.mark("slow") and not slow:
            continue
        try:
            run_block(reader, block)
        except Failure as fault:
            bad += 1
            print("%s:%d: %s" % (path, block.line, fault))
    for seconds, text in sorted(reader.timed, reverse=True)[:10]:
        print("%6.1f s  %s" % (seconds, text.split("\n")[0]))
    print("%s: %d blocks, %d lines run, %d faults" % (path, n, len(reader.timed), bad))
    if not bad:
        shutil.rmtree(folder)
    return 1 if bad or not n else 0


if __name__ == "__main__":
    rest = [word for word in sys.argv[1:] if word != "--slow"]
    if len(rest) != 4:
        sys.exit(__doc__)
    sys.exit(main(*rest, slow="--slow" in sys.argv))
