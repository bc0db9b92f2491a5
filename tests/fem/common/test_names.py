"""Names that resemble an unknown one."""

import pytest

from fem.common.names import nearest, with_match


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("eyea", ["eyeA"]),
        ("EYEB", ["eyeB"]),
        ("eye", ["eyeA", "eyeB"]),
        ("big_ned", ["big_end"]),
        ("bigend", ["big_end"]),
        ("big_endd", ["big_end"]),
        ("wheel", []),
        ("", []),
        (7, []),
    ],
)
def test_the_nearest_name_whatever_its_case(name, meant):
    assert sorted(nearest(name, ("eyeA", "eyeB", "big_end"))) == meant
    assert nearest(name, ()) == []


def test_messages_name_it_for_each():
    assert with_match(["tip", "Root"], {"root": 1}) == "'tip', 'Root' (did you mean 'root'?)"
    assert with_match(3, ["root"]) == "3"
    assert with_match([1, 2], ["root"]) == "[1, 2]"
    assert with_match("pin", ["pin1", "pin2"]) == "'pin' (did you mean 'pin1' or 'pin2'?)"
    assert with_match("abcdefgh", ["ABC"], 1) == "'abcdefgh'"
    assert with_match(["a", "b", "c"], [], 2) == "'a', 'b' and 1 more"
