#!/usr/bin/env python3
"""tools/check_asserts and tools/make_messages on small made-up trees: in order as they stand, at fault once broken."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

tools = pathlib.Path(__file__).resolve().parents[2] / "tools"
failures = []


def made(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def check(what, ok):
    if not ok:
        failures.append(what)


# Asserts.
SOURCES = {"src/supple/base/expect.cpp": "std::abort();\n", "apps/cli/main.cpp": "// assert(x) is not ours\nstatic_assert(true);\n",
           "src/supple/mesh/a.cpp": "expect(n > 0, \"some\");\n"}
for line in ("", "assert(n > 0);", "  std::abort();", "std::exit(1);", "#include <cassert>", "std::terminate();"):
    with tempfile.TemporaryDirectory() as folder:
        made(folder, SOURCES)
        made(folder, {"src/supple/mesh/b.cpp": line + "\n"})
        status = subprocess.run([tools / "check_asserts", folder], capture_output=True).returncode
        check(f"check_asserts of '{line}'", (status == 0) == (line == ""))

# Messages: the tool works on the tree that it lies in.
CODE = """
void f() {
  if (a) throw InputError({.file = file}, "holds \\"nothing\\"", "give " "more");
  throw InputError({path}, fmt::format("{} of {} points", a, b), c ? "cut (it)" : "mend it, or not");
  const auto fail = [&](const std::string& why) { throw InputError({file}, why, kAdvice); };
  fail("cannot be " + what);
}
constexpr const char* kAdvice = "try again";
"""
WANTED = ['| holds "nothing" | give more |', "| … of … points | cut (it) / mend it, or not |", "| cannot be … | try again |"]
with tempfile.TemporaryDirectory() as folder:
    made(folder, {"src/supple/io/a.cpp": CODE, "docs/guide/troubleshooting.md": "# Head\n\n<!-- all messages: made by tools/make_messages, not by hand -->\n"})
    (pathlib.Path(folder) / "apps").mkdir()
    (pathlib.Path(folder) / "tools").mkdir()
    tool = shutil.copy(tools / "make_messages", pathlib.Path(folder) / "tools")
    run = lambda *arguments: subprocess.run([tool, *arguments], capture_output=True, text=True)
    check("a page without its messages is out of date", run("--check").returncode != 0)
    check("the page is made", run().returncode == 0)
    page = (pathlib.Path(folder) / "docs/guide/troubleshooting.md").read_text()
    for line in WANTED:
        check(f"'{line}' on the page:\n{page}", line in page.splitlines())
    check("what is written by hand stays", page.startswith("# Head\n"))
    check("it is then up to date", run("--check").returncode == 0)
    made(folder, {"src/supple/io/b.cpp": 'throw InputError({}, "is new");\n'})
    check("a new message is missing", run("--check").returncode != 0)

print("\n".join(failures) or "as they should")
sys.exit(bool(failures))
