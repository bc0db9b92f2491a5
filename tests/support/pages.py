"""Interactive pages outside of a browser: their arrays, and the points that their own functions compute."""

import base64
import json
import re
import shutil
import subprocess
import zlib

import numpy as np
import pytest

TYPES = {"f": np.float32, "u": np.uint32, "b": np.uint8}
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node here to run the page's script")


def unpacked(page):
    header = json.loads(re.search(r"^const HEADER = (.*);$", page, re.MULTILINE)[1])
    data = zlib.decompress(base64.b64decode(re.search(r'^const DATA = "(.*)";$', page, re.MULTILINE)[1]))
    for part in header["parts"]:
        for name, (kind, at, length) in part["arrays"].items():
            part[name] = np.frombuffer(data, TYPES[kind], length, at)
    return header


def computed(page, path, scale: float) -> list:
    """Points, poses and values of all parts in the fifth frame, by the page's own functions, outside of a browser."""
    script = page[page.index("const HEADER") : page.index("// ---- picture")]
    script += """
    unpacked(DATA).then((buffer) => {
      const out = [];
      for (const part of arraysOf(HEADER, buffer)) {
        if (part.kind === "flexible") {
          part.own = new Float32Array(part.points.length);
          part.out = new Float32Array(3 * part.n);
        }
        out.push([Array.from(localPoints(part, 4, SCALE)), Array.from(poseOf(part, 4, SCALE)),
                  part.values ? Array.from(valuesOf(part, 4)) : []]);
      }
      process.stdout.write(JSON.stringify(out));
    });""".replace("SCALE", str(scale))
    path.write_text(script, encoding="utf-8")
    done = subprocess.run(["node", str(path)], capture_output=True, text=True, timeout=60, check=True)
    found = []
    for points, pose, values in json.loads(done.stdout):
        turn, place = np.reshape(pose[:9], (3, 3)), np.array(pose[9:])
        found.append((np.reshape(points, (-1, 3)) @ turn.T + place, values))
    return found
