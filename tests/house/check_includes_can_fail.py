#!/usr/bin/env python3
"""tools/check_includes on a small made-up tree: in order as it stands, and at fault once each rule is broken."""
import pathlib
import subprocess
import sys
import tempfile

check = pathlib.Path(__file__).resolve().parents[2] / "tools/check_includes"
ORDER = {
    "tools/rooms.txt": "# Rooms.\nbase:\nmesh: base\npipeline/job: mesh+\npipeline/run: pipeline/job+\npipeline: pipeline/run+\n"
                       "apps: pipeline base\n",
    "docs/design/README.md": "| room | holds | may include |\n|---|---|---|\n| base | a | nothing of ours |\n| mesh | b | base |\n"
                             "| pipeline/job | c | mesh+ |\n| pipeline/run | d | pipeline/job+ |\n"
                             "| pipeline | e | pipeline/run+ |\n| apps | f | pipeline, base |\n| runtime/c, other | g | base |\n",
    "src/supple/base/words.h": "// Words.\n",
    "src/supple/mesh/inner.h": "// What the room\n// works with. Inside the mesh\n// room only.\n",
    "src/supple/mesh/mesh.h": '// A mesh.\n#include "supple/base/words.h"\n',
    "src/supple/mesh/mesh.cpp": '#include "supple/mesh/mesh.h"\n#include "supple/mesh/inner.h"\n#include <vector>\n',
    "src/supple/pipeline/job/job.h": '#include "supple/mesh/mesh.h"\n#include "supple/base/words.h"\nJob job;\n',
    "src/supple/pipeline/run/run.h": '#include "supple/pipeline/job/job.h"\n// struct Job; is not for here\nvoid run(Job job);\n',
    "src/supple/pipeline/pipeline.cpp": '#include "supple/pipeline/run/run.h"\n#include "supple/mesh/mesh.h"\n',
    "apps/cli/main.cpp": '#include "supple/pipeline/pipeline.h"\n#include "cli.h"\n',
}


def ring(count, room):
    """Sources of a knot of that many units: each header includes the next one."""
    return {f"src/supple/{room}/ring{i}.h": f'#include "supple/{room}/ring{(i + 1) % count}.h"\n' for i in range(count)}


def add(path, text):
    return {path: ORDER[path] + text}


# What is done to the tree, and what must be said of it.
BROKEN = [
    (add("src/supple/mesh/mesh.h", '#include "supple/pipeline/job/job.h"\n'), "'mesh' may not include 'pipeline/job'"),
    (add("src/supple/pipeline/job/job.h", '#include "supple/pipeline/run/run.h"\n'), "may not include 'pipeline/run'"),
    (add("src/supple/pipeline/job/job.h", '#include "supple/pipeline/pipeline.h"\n'), "may not include 'pipeline'"),
    (add("src/supple/pipeline/job/job.h", '#include "supple/mesh/inner.h"\n'), "inside 'mesh' only"),
    (add("apps/cli/main.cpp", '#include "supple/mesh/mesh.h"\n'), "'apps' may not include 'mesh'"),
    (add("src/supple/mesh/mesh.cpp", '#include "mesh.h"\n'), "start at the include root"),
    ({"src/supple/cellar/wine.h": ""}, "room 'cellar' is not in"),
    ({"src/supple/pipeline/run/deep/run.h": ""}, "room 'pipeline/run/deep' is not in"),
    (add("tools/rooms.txt", "attic: roof\n"), "'roof' is no room above"),
    (add("tools/rooms.txt", "attic = mesh\n"), "a room and what it may include"),
    (add("tools/rooms.txt", "attic: mesh\n"), "no row for the room 'attic'"),
    (add("docs/design/README.md", "| attic | h | mesh |\n"), "'attic' is no room"),
    ({"docs/design/README.md": ORDER["docs/design/README.md"].replace("mesh+", "mesh")}, "'pipeline/job' may include 'mesh+'"),
    (ring(4, "pipeline/run"), "a knot of 4 units"),
    ({**add("src/supple/pipeline/job/job.h", '#include "supple/pipeline/run/run.h"\n')}, "a knot across the rooms"),
    ({"src/supple/pipeline/run/long.cpp": "\n" * 4001}, "4004 lines, 4000 are allowed"),
    (add("src/supple/pipeline/run/run.h", "struct Job;\n"), "a forward declared Job"),
    (add("src/supple/pipeline/run/run.h", "  Job job;\n"), "an empty Job"),
    (add("src/supple/pipeline/run/run.h", "  Job dead{};\n"), "an empty Job"),
    (add("src/supple/pipeline/run/run.h", "auto c = dynamic_cast<const CharacterSubject*>(s);\n"), "of what kind"),
]
FINE = [{}, ring(3, "pipeline/run"), ring(9, "mesh"), {"src/supple/pipeline/run/long.cpp": "\n" * 3990}]


def said_of(changes):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**ORDER, **changes}.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, str(check), folder], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


wrong = []
for changes in FINE:
    code, said = said_of(changes)
    if code != 0:
        wrong.append(f"in order, but: {said}")
for changes, words in BROKEN:
    code, said = said_of(changes)
    if code != 1 or words not in said:
        wrong.append(f"'{words}' was to be found in {sorted(changes)}, but: {said}")
print("\n".join(wrong) if wrong else f"{len(BROKEN)} faults found, {len(FINE)} trees in order")
sys.exit(1 if wrong else 0)
