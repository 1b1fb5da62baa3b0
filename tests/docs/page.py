"""A page of documentation as blocks of lines, each with what is to be done with it.

A block is what stands between ``` fences, or a paragraph set in by four spaces. Its kind is its language, or told by
its first line. A comment of the page, invisible to readers, may stand before a block:

    <!-- not run: WHY -->            the block is not run
    <!-- not run "START": WHY -->    its lines that begin so are not run
    <!-- file: NAME -->              the block is a file of this name
    <!-- adds to: SCENE [...] -->    the block is added to a copy of a scene, which is then checked, or given to the
                                     command that follows a second colon, with SCENE for the copy
    <!-- printed -->                 the block is what commands before it printed, its numbers to 2 %
    <!-- like what is printed -->    the same, whatever the numbers
    <!-- exit N -->                  the lines of the block end with this exit status
    <!-- first: COMMAND -->          is run before the block: what a reader has done who comes to it
    <!-- slow -->                    is run with --slow only
    <!-- fresh folder -->            anywhere: what follows begins in a new folder
"""
import re

COMMANDS = ("supple ", "build/supple ", "./dev ", "xdg-open ", "$EDITOR ", "cmake ", "for ", "$ ", "python3 ")
SHELL, PYTHON, SCENE, FILE, PRINTED = "shell", "python", "scene", "file", "printed"
MARKS = ("not run", "file", "adds to", "printed", "like what is printed", "exit", "first", "slow", "fresh folder")


class Block:
    def __init__(self, line, language, lines, marks):
        self.line, self.language, self.lines = line, language, lines
        self.marks = marks  # (line, kind, what is in quotes, text)

    def mark(self, kind):
        return next((m for m in self.marks if m[1] == kind), None)

    def kind(self):
        """What is to be done with it; None: nobody has said."""
        if self.mark("file"):
            return FILE
        if self.mark("adds to"):
            return SCENE
        if self.mark("printed") or self.mark("like what is printed"):
            return PRINTED
        if self.language:
            return {"python": PYTHON, "sh": SHELL, "bash": SHELL}.get(self.language)
        first = next((l for l in self.lines if l.strip()), "")
        return SHELL if first.startswith(COMMANDS) else None

    def commands(self):
        """Of shell: (line, text) of each, continued lines and loops as one, and what they are said to print."""
        out, printed, k = [], [], 0
        prompted = any(l.startswith("$ ") for l in self.lines)
        while k < len(self.lines):
            text, at = self.lines[k], self.line + k
            k += 1
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            if prompted and not text.startswith("$ "):
                printed.append((at, text))
                continue
            text = text[2:] if prompted else text
            while k < len(self.lines) and (text.endswith("\\") or loop_is_open(text)):
                text = text[:-1] if text.endswith("\\") else text + "\n"
                text += self.lines[k].lstrip() if not text.endswith("\n") else self.lines[k]
                k += 1
            out.append((at, text))
        return out, printed


def loop_is_open(text):
    words = re.findall(r"(?m)^\s*(?:for|while)\b|\bdone\b", text)
    return sum(1 if w.strip() != "done" else -1 for w in words) > 0


def read(path):
    """Blocks in the order of the page; in their place the line number of a mark that begins a fresh folder."""
    lines = open(path, encoding="utf-8").read().split("\n")
    out, marks, faults, k = [], [], [], 0
    blank = True

    def finish(start, language, body):
        nonlocal marks
        out.append(Block(start, language, body, marks))
        marks = []

    while k < len(lines):
        text = lines[k]
        found = re.fullmatch(r"\s*<!--\s*(%s)\b\s*(\d*)\s*(?:\"(.*?)\")?\s*(?::\s*(.*?))?\s*-->\s*" % "|".join(MARKS), text)
        fence = re.fullmatch(r"```\s*(\w*)\s*", text)
        if found:
            kind, number, quoted, rest = found.groups()
            if kind == "fresh folder":
                out.append(k + 1)
            else:
                marks.append((k + 1, kind, quoted, rest or number))
                if kind == "not run" and not rest:
                    faults.append((k + 1, "a mark that does not say why"))
            k += 1
        elif text.startswith("<!--"):
            # What other programs look for: where the list of a command's options begins, what is generated.
            if not text.startswith(("<!-- supple", "<!-- options: ", "<!-- all messages: ")):
                faults.append((k + 1, "a comment that is no mark: " + text))
            k += 1
        elif fence:
            end = k + 1
            while end < len(lines) and not lines[end].startswith("```"):
                end += 1
            finish(k + 2, fence.group(1), lines[k + 1:end])
            k = end + 1
        elif blank and text.startswith("    "):
            end = k
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            body = [l[4:] for l in lines[k:end]]
            finish(k + 1, "", body)
            k = end
        else:
            if text.strip() and marks:  # marks stand directly before their block
                faults += [(m[0], "a mark with no block after it") for m in marks]
                marks = []
            k += 1
        blank = not text.strip() or bool(found)
    faults += [(m[0], "a mark with no block after it") for m in marks]
    return out, faults
