"""Compressed blocks of states: no bit is lost, and whatever a file is cut to, whole blocks are read."""

import io

import numpy as np
import pytest

from flexbody.files.state_blocks import LastStates, packed, read_blocks

M = 7


def some_rows() -> np.ndarray:
    """Smooth, constant, random and special numbers in columns."""
    rng = np.random.default_rng(3)
    t = np.linspace(0.0, 1.0, 30)
    special = np.resize([0.0, -0.0, np.inf, -np.inf, 5e-324, 1.7e308, -1.0], 30)
    rows = np.column_stack(
        [t, np.sin(9 * t), np.cos(9 * t), np.full(30, 9.81), 0 * t, rng.normal(size=30), special]
    )
    rows.view("<u8")[4, 5] = 0x7FF8_0000_0000_ABCD  # NaN with bits of its own
    return rows


def blocks_of(rows: np.ndarray, *lengths: int) -> list[bytes]:
    before, blocks = np.zeros(M), []
    for part in np.split(rows, np.cumsum(lengths)[:-1]):
        blocks.append(packed(part, before))
        before = part[-1]
    return blocks


@pytest.mark.parametrize("lengths", [(30,), (10, 10, 10), (1,) * 30])
def test_no_bit_is_lost(lengths):
    rows = some_rows()
    found, _, damaged = read_blocks(io.BytesIO(b"".join(blocks_of(rows, *lengths))), M)
    assert found.tobytes() == rows.tobytes()
    assert not damaged


def test_a_file_that_ends_anywhere():
    rows = some_rows()
    blocks = blocks_of(rows, 10, 10, 10)
    data, ends = b"".join(blocks), np.cumsum([len(block) for block in blocks])
    for length in range(len(data) + 1):
        found, _, damaged = read_blocks(io.BytesIO(data[:length]), M)
        assert found.tobytes() == rows[: 10 * np.searchsorted(ends, length, "right")].tobytes()
        assert not damaged


def test_a_damaged_block_ends_the_states():
    rows = some_rows()
    blocks = blocks_of(rows, 10, 10, 10)
    data, ends = b"".join(blocks), np.cumsum([len(block) for block in blocks])
    for at in range(ends[0], ends[1]):
        found, _, damaged = read_blocks(io.BytesIO(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]), M)
        assert found.tobytes() == rows[:10].tobytes()
        assert damaged


def test_a_table_gives_the_states_behind_the_blocks():
    """Not those that an earlier block left, nor one that is half written."""
    rows = some_rows()
    last = LastStates(np.zeros((4, 2 + M)))
    assert len(last.following(0)) == 0
    for number, row in enumerate(rows[:6]):
        last.put(number % 4, number, row)
    assert last.following(4).tobytes() == rows[4:6].tobytes()
    assert len(last.following(0)) == 0
    last.rows[1, 3] += 1.0
    assert last.following(4).tobytes() == rows[4:5].tobytes()
    last.put(1, 5, rows[5])
    last.table[0, 0] = 8  # the number of another state
    assert len(last.following(8)) == 0
