"""Arguments against their annotations: what is taken, what is refused, and in which words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike

import fem
from fem.common.annotations import rule_of
from fem.common.arguments import check_arguments
from fem.common.values import Array, Extended, Name, NotNegative, Positive

NAN, INF = float("nan"), float("inf")


@check_arguments
def work(length: float, n: int = 2, *, names: Sequence[str] = (), path: str | Path | None = None) -> float:
    """Stand for any function."""
    return length


@check_arguments
@dataclass(frozen=True)
class Thing:
    """Stands for any class; its own check knows more of ``size``."""

    name: Annotated[str, Name]
    size: float
    law: float | Callable[[float], float] = 0.0
    point: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Say more than an annotation can."""
        if self.size < 0:
            raise fem.InputError(f"the size of '{self.name}' is {self.size:g} m")


TAKEN = {
    float: [1, 1.5, np.float32(2), np.int16(3), np.array(3.0)],
    int: [1, np.int64(4), np.array(3)],
    bool: [True, np.bool_(False)],
    str: ["", "a", np.str_("b")],
    Array: [1.0, (1, 2), [[1, 2], [3, 4]], np.eye(3), range(3), np.zeros((0, 3))],
    tuple[float, float, float]: [(1, 2, 3), [1, 2, 3], np.ones(3), range(3)],
    Sequence[str]: [["a"], ("a", "b"), {"a": 1}, {"a"}, np.array(["a"]), ()],
    Iterable[str]: [["a"], (n for n in "ab")],
    Mapping[str, float]: [{}, {"a": 1}],
    float | None: [None, 2],
    Annotated[float, Positive]: [1e-9, 3],
    Annotated[float, NotNegative]: [0, 3],
    Annotated[float, Extended]: [INF, -INF, 0],
    Literal["a", "b"]: ["a"],
    Callable[[float], float]: [abs, lambda t: t],
}  # fmt: skip
REFUSED = {
    float: [NAN, INF, True, None, "1", b"1", 1j, (1,), [1, [2]], np.ones(1), 10**400, 1e308, object(), float],
    int: [1.0, True, "1", None, np.array([1]), 10**30, NAN],
    bool: [0, 1, None, NAN, "yes", np.zeros(3)],
    str: [b"a", "a\0", None, 1, ["a"]],
    Array: ["a", None, [1, [2, 3]], ["a"], NAN, (1, NAN), [1j], [True], {1: 2}, object(), 1e308],
    tuple[float, float, float]: [(1, 2), "abc", (1, 2, NAN), (1, 2, "c"), 3, np.zeros((3, 3)), np.array(1.0)],
    Sequence[str]: ["a", b"a", 1, None, [1], ["a", None], str],
    Iterable[str]: ["a", 1, None],
    Mapping[str, float]: [{"a": NAN}, {1: 2}, [], None],
    float | None: ["a", NAN, ()],
    Annotated[float, Positive]: [0, -1, 1e-320, NAN, INF],
    Annotated[float, NotNegative]: [-1e-9, NAN, INF],
    Annotated[float, Extended]: [NAN, "inf"],
    Literal["a", "b"]: ["c", None, 1, ["a"], np.array(["a"])],
    Callable[[float], float]: [1.0, None, "abs"],
}  # fmt: skip


@pytest.mark.parametrize("meaning", TAKEN, ids=lambda meaning: rule_of(meaning).one)
def test_what_is_taken_and_what_is_refused(meaning):
    rule = rule_of(meaning)
    assert [value for value in TAKEN[meaning] if rule.fault(value) is not None] == []
    assert [value for value in REFUSED[meaning] if rule.fault(value) is None] == []


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: work(NAN), "tests.work: length must be a finite number, not nan"),
        (lambda: work(1, n=2.0), "tests.work: n must be an integer, not 2"),
        (lambda: work(1, names=["a", 3]), "tests.work: names[1] must be text, not 3"),
        (lambda: work(1, path=3), "path must be the name of a file: text or a Path or None, not 3"),
        (lambda: Thing("", 1.0), "Thing '': name must be text on one line that is not empty, not ''"),
        (
            lambda: Thing("rod", 1.0, law="x"),
            "Thing 'rod': law must be a finite number or a function, not 'x'",
        ),
        (
            lambda: Thing("rod", 1.0, point=(0, 0, NAN)),
            "Thing 'rod': point must be finite numbers, not (0, 0, nan)",
        ),
        (
            lambda: Thing("rod", "x"),
            "Thing 'rod': size must be a finite number, not 'x'",
        ),  # where its own check breaks
        (lambda: Thing("rod", -1.0, law="x"), "the size of 'rod' is -1 m"),  # what it says itself comes first
    ],
)
def test_the_message_says_where_what_and_which(call, says):
    with pytest.raises(fem.InputError, match=re.escape(says)):
        call()


def test_all_arguments_at_once():
    with pytest.raises(fem.InputError, match=r"has wrong arguments:\n  - length .*\n  - n .*"):
        work("a", "b")


def test_a_call_that_does_not_fit_names_what_there_is():
    with pytest.raises(TypeError, match=r"work: 'length' must be given"):
        work()
    with pytest.raises(
        TypeError, match=r"no argument 'lenght' \(did you mean 'length'\?\); there are length, "
    ):
        work(lenght=2)
    with pytest.raises(
        TypeError, match=r"Isotropic: 4 arguments are given by position, and only E, nu, rho may be"
    ):
        fem.Isotropic(1.0, 0.3, 1.0, 2.0)
    with pytest.raises(TypeError, match=r"Isotropic: 'E' is given by position and by name"):
        fem.Isotropic(1.0, E=2.0)


def test_an_error_inside_a_call_that_fits_is_not_changed():
    @check_arguments
    def broken(x: float) -> float:
        return x + "a"

    with pytest.raises(TypeError, match="unsupported operand"):
        broken(1.0)


def test_a_default_is_right():
    assert work(1.0, 2, names=(), path=None) == 1.0
    assert Thing("rod", 1.0) == Thing("rod", 1.0, 0.0, (0.0, 0.0, 0.0))


class Reader:
    """A class whose method is inherited."""

    @check_arguments
    def read(self, at: float) -> float:
        return at


class Own(Reader):
    """The class whose objects a user has."""


@pytest.mark.parametrize("wrong", [{"at": "x"}, {"to": 1.0}])
def test_messages_name_the_class_of_the_object_not_the_one_that_has_the_method(wrong):
    with pytest.raises((fem.InputError, TypeError), match=r"^Own\.read: "):
        Own().read(**wrong)
