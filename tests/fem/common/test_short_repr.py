"""Words and short representations of descriptions, without digits of round-off."""

import fem
from fem.common.short_repr import in_words


def test_materials_in_words():
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    assert in_words(steel) == "Isotropic: E = 2.1e+11, nu = 0.3, rho = 7850"
    assert in_words({"skin": fem.Shell(steel, 0.1 + 0.2)}) == (
        "'skin': Shell: material = (Isotropic: E = 2.1e+11, nu = 0.3, rho = 7850), thickness = 0.3"
    )
    assert repr(fem.Isotropic(E=1e9 / 3, nu=0.3, rho=1000.0)) == "Isotropic(E=3.33333e+08, nu=0.3, rho=1000)"


def test_an_averaging_connection_says_which_components_count():
    weights = {"a": {"x": 1.0, "y": 1.0}, "b": {"x": 1.0, "y": 1.0}, "c": {"z": 2.0}}
    said = fem.Averaged("ref", "all", weights=weights).words()
    assert "(x, y of 'a', 'b'; z by 2 of 'c')" in said
