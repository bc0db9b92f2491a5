"""How much memory is free, on machines that are made up of files."""

import pytest

from fem.solvers import memory


def _machine(tmp_path, files):
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


MEMINFO = {"proc/meminfo": "MemTotal: 16000 kB\nMemFree: 900 kB\nMemAvailable:    8000 kB\n"}
V2 = {
    "proc/self/cgroup": "0::/job.slice/step\n",
    "sys/fs/cgroup/job.slice/memory.max": "5000000\n",
    "sys/fs/cgroup/job.slice/memory.current": "4000000\n",
    "sys/fs/cgroup/job.slice/memory.stat": "anon 1\ninactive_file 250000\n",
    "sys/fs/cgroup/job.slice/step/memory.max": "max\n",
    "sys/fs/cgroup/job.slice/step/memory.current": "4000000\n",
}
V1 = {
    "proc/self/cgroup": "5:devices:/\n4:cpu,memory:/docker/abc\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "3000000\n",
    "sys/fs/cgroup/memory/memory.usage_in_bytes": "2000000\n",
    "sys/fs/cgroup/memory/memory.stat": "total_inactive_file 1000\n",
}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (MEMINFO, 8_192_000),
        (MEMINFO | V2, 1_250_000),  # the parent's limit less its use, but for caches
        (MEMINFO | V1, 1_001_000),  # in a container the group is the mounted root
        (MEMINFO | V1 | {"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712"}, 8_192_000),
    ],
    ids=["plain", "version 2", "version 1", "no limit"],
)
def test_available_memory_is_the_least_of_what_bounds_it(tmp_path, files, expected, monkeypatch):
    monkeypatch.setattr(memory, "_address_space", lambda: None)
    assert memory.available_memory(_machine(tmp_path, files)) == expected


def test_available_memory_elsewhere(tmp_path, monkeypatch):
    """Without /proc it is the machine's; a limit on the address space counts everywhere."""
    monkeypatch.setattr(memory, "_whole", lambda: 123)
    assert memory.available_memory(tmp_path) in (123, memory._address_space())
    monkeypatch.setattr(memory, "_address_space", lambda: 77)
    assert memory.available_memory(tmp_path) == 77
    monkeypatch.setattr(memory, "_address_space", lambda: None)
    monkeypatch.setattr(memory, "_whole", lambda: None)
    assert memory.available_memory(tmp_path) is None
