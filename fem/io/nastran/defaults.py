"""Defaults of bars and beams: BAROR and BEAMOR, written into the cards that leave their fields blank."""

from __future__ import annotations

import numpy as np

from .cards import Deck, Row, Table

_CARDS = {"BAROR": "CBAR", "BEAMOR": "CBEAM"}
_PROPERTY, _ORIENTATION, _OFFSETS = 2, (5, 6, 7), 8


def with_defaults(deck: Deck) -> None:
    """Fill the blank fields of CBAR and CBEAM: property, orientation, and the axes of both (OFFT)."""
    for name, card in _CARDS.items():
        rows = list(deck.rows(name))
        if len(rows) > 1:
            raise rows[1].error(f"{name} is given twice (line {rows[0].line} has the first); a deck has one")
        for row in rows:
            for table in deck.of(card):
                _fill(table, row)


def _fill(table: Table, defaults: Row) -> None:
    for k in (_PROPERTY, _OFFSETS):
        _set(table, k, ~table.given(k), defaults.word(k))
    by_point = np.array([word.lstrip(b"+").isdigit() for word in table.text(_ORIENTATION[0])], bool)  # G0
    nothing = ~np.any([table.given(k) for k in _ORIENTATION], axis=0)
    of_point = defaults.word(_ORIENTATION[0]).isdecimal()
    for k in _ORIENTATION:
        blank = nothing if of_point else ~table.given(k) & ~by_point
        _set(table, k, blank, defaults.word(k))


def _set(table: Table, k: int, where: np.ndarray, word: str) -> None:
    """Write a word into field k of some cards."""
    if word and where.any():
        text = word.encode()
        if len(text) > table.fields.dtype.itemsize:
            table.fields = table.fields.astype(f"S{len(text)}")
        table.fields[where, k - 1] = text
