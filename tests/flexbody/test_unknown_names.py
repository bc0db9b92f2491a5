"""Unknown names: the known one that is meant is named, in every lookup by name."""

import re
from functools import cache
from pathlib import Path

import pytest

import fem
import flexbody as fb
import modal

ROOT = Path(__file__).resolve().parents[3]
#: a message that lists the names that exist
LISTS = re.compile(r"(?:it has|there are|which has) (?:the \w+ )?\{listing\(")


def test_every_message_that_lists_names_uses_it():
    left = []
    for path in (p for package in ("fem", "modal", "flexbody") for p in (ROOT / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for found in LISTS.finditer(text):
            before = text[max(0, found.start() - 250) : found.start()]
            if not re.search(r"with_match\(|\{asked\}", before):
                left.append(f"{path.relative_to(ROOT)}: {before[-60:]}{found[0]}")
    assert not left, "\n".join(left)


@cache
def _bar():
    mesh = fem.box((0.4, 0.02, 0.02), (2, 1, 1))
    structure = fem.assemble(mesh, fem.Isotropic(E=210e9, nu=0.3, rho=7850.0))
    basis = modal.craig_bampton(structure, interfaces=("x0", "x1"), n_normal=0)
    return structure, modal.reduce(structure, basis, name="bar", markers=("y0",))


@cache
def _result():
    bar = fb.FlexibleBody("bar", _bar()[1])
    hinge = fb.Revolute("hinge", fb.GROUND, bar["x0"], axis="y")
    spring = fb.ForceElement("coil", fb.Line(bar["x1"], fb.GROUND), fb.Linear(10.0))
    return fb.simulate(fb.System([bar], [hinge], [spring]), 1e-4, show_progress=False)


LOOKUPS = {
    "node set": (lambda: _bar()[0].mesh.nodes_of("X0"), "x0"),
    "element set": (lambda: _bar()[0].mesh.elements_of("HEX20"), "hex20"),
    "interface": (lambda: modal.craig_bampton(_bar()[0], interfaces=("Y1", "x1"), n_normal=0), "y1"),
    "load": (lambda: fem.static(_bar()[0], "x0", fem.Force("X1", (0, 0, 1))), "x1"),
    "marker": (lambda: _bar()[1].marker("Y0"), "y0"),
    "frame": (lambda: _result().system.body("bar")["X1"], "x1"),
    "units": (lambda: fem.read_mesh(ROOT / "meshes/conrod.msh", units="si"), "SI"),
    "body": (lambda: _result().position("baar"), "bar"),
    "joint": (lambda: _result().reaction("hing"), "hinge"),
    "coordinate": (lambda: _result().coordinate("hinge", "angel"), "angle"),
    "measure": (lambda: _result().stress("bar").measure("vonMises"), "von_mises"),
    "element": (lambda: _result().element("coli"), "coil"),
    "quantity": (lambda: _result().table(("reactoin", "hinge")), "reaction"),
    "column": (lambda: _result().table("hinge")["time"], "time (s)"),
    "colour": (lambda: fb.picture(_result(), colour="vonMises"), "von_mises"),
    "argument": (lambda: fb.RigidBody("arm", mas=1.0), "mass"),
}


@pytest.mark.parametrize("what", LOOKUPS)
def test_a_slip_is_told(what):
    call, meant = LOOKUPS[what]
    with pytest.raises((fb.InputError, TypeError)) as caught:
        call()
    assert f"(did you mean '{meant}'?)" in str(caught.value)


@pytest.mark.parametrize(
    ("package", "name", "meant"),
    [
        (fb, "Spring", "did you mean SpringDamper?"),  # another word
        (fb, "revolute", "did you mean Revolute?"),  # the case
        (fb, "read_mesh", "did you mean fem.read_mesh?"),  # of another package
        (fem, "Rod", "did you mean Circle"),
        (fem, "von_misses", "did you mean von_mises?"),  # a slip
        (modal, "guyan", "did you mean constraint_modes?"),
        (fb, "qwxyz", "no attribute 'qwxyz'"),
    ],
)
def test_an_unknown_name_of_a_package(package, name, meant):
    with pytest.raises(AttributeError, match=re.escape(meant) + "$" if name == "qwxyz" else re.escape(meant)):
        getattr(package, name)


def test_other_words_lead_to_names_that_exist():
    for package in (fem, modal, fb):
        for said in package._WORDS.values():
            names = re.findall(r"\b(?!or\b|a\b|cross\b|section\b|of\b)\w+", said)
            assert names
            assert all(hasattr(package, name) for name in names), said
