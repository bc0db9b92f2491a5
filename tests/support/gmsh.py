"""Whether gmsh can be loaded here: its wheel needs libraries of the system, which README names."""

import subprocess
import sys

import pytest

#: gmsh is loaded in a process of its own, as by the library
RUNS = subprocess.run([sys.executable, "-c", "import gmsh"], capture_output=True, check=False).returncode == 0
needs_gmsh = pytest.mark.skipif(
    not RUNS, reason="gmsh or a library of the system that it needs is not installed"
)
