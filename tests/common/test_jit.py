"""The cache of compiled functions: found again, and never stale."""

import logging
import os
import subprocess
import sys
import textwrap

import pytest

from fem.common import jit as module
from fem.common.jit import jit, source_hash


def _run(folder, code):
    """Run ``code`` in a fresh Python with the cache and the modules in ``folder``; return what it prints."""
    environment = {
        **os.environ,
        "FLEXBODY_CACHE": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split() + done.stderr.split()


CALLER = """
    from pathlib import Path
    import fem.common.jit as module
    module._ROOT = Path.cwd()
    module.SOURCES = {"caller": ("caller.py", "callee.py")}
    import sys
    sys.path.insert(0, "")
    from caller import twice
    from fem.common.jit import announce_compilation
    announced = announce_compilation("the test", twice)
    print(twice(3.0), announced, sum(twice.stats.cache_hits.values()))
"""


@pytest.fixture
def modules(tmp_path):
    (tmp_path / "callee.py").write_text(
        "from fem.common.jit import jit\n@jit\ndef double(x):\n    return 2 * x\n"
    )
    (tmp_path / "caller.py").write_text(
        "from callee import double\nfrom fem.common.jit import jit\n"
        "@jit\ndef twice(x):\n    return double(x)\n"
    )
    return tmp_path


def test_second_process_takes_the_compiled_code_and_is_quiet(modules):
    first = _run(modules, CALLER)
    assert first[:3] == ["6.0", "True", "0"]
    assert "compiling the test once for this machine" in " ".join(first)
    assert _run(modules, CALLER) == ["6.0", "False", "1"]


def test_an_edit_of_a_callee_is_noticed(modules):
    assert _run(modules, CALLER)[0] == "6.0"
    callee = modules / "callee.py"
    stamp = callee.stat()
    callee.write_text(callee.read_text().replace("2 * x", "5 * x"))
    os.utime(callee, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # not even its date has changed
    assert _run(modules, CALLER)[:2] == ["15.0", "True"]


def test_hash_follows_every_listed_source(tmp_path):
    for name in ("a.py", "sub/b.py", "sub/deep/c.py"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")
    seen = {source_hash(tmp_path, ("a.py", "sub"))}
    for name in ("a.py", "sub/b.py", "sub/deep/c.py"):
        (tmp_path / name).write_text("x = 2\n")
        seen.add(source_hash(tmp_path, ("a.py", "sub")))
    (tmp_path / "sub" / "new.py").write_text("")
    seen.add(source_hash(tmp_path, ("a.py", "sub")))
    assert len(seen) == 5


def test_announcement_is_made_once_and_not_for_a_compiled_function(caplog):
    def cube(x):
        return x**3

    function = jit(cube, cache=False)
    with caplog.at_level(logging.WARNING, logger="flexbody.compile"):
        assert module.announce_compilation("cubes", function)
        function(2.0)
        assert not module.announce_compilation("cubes", function)
    assert len(caplog.records) == 1
    assert "compiling cubes" in caplog.text


def test_a_cache_that_can_not_be_written_is_replaced(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.touch()
    for variable in ("FLEXBODY_CACHE", "LOCALAPPDATA", "XDG_CACHE_HOME", "HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(blocked))
    monkeypatch.setattr(module.tempfile, "gettempdir", lambda: str(tmp_path))
    folder = module.cache_folder.__wrapped__()
    assert folder.is_dir()
    assert folder.parent.parent == tmp_path


def test_numba_settings_of_the_user_are_left_alone():
    before = module.numba.config.CACHE_DIR
    jit(lambda x: x)
    assert before == module.numba.config.CACHE_DIR


def test_division_by_zero_gives_infinity_and_not_an_exception():
    @jit(cache=False)
    def inverse(x):
        return 1.0 / x

    assert inverse(0.0) == float("inf")
