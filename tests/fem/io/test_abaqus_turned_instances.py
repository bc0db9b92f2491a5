"""An instance that is moved and turned has the turned matrices of the part as it is drawn."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.abaqus_decks import MATERIAL, PLY, elements_of, nodes_of, read

import fem

CONSTANTS = "*Material, name=woven\n*Elastic, type=ENGINEERING CONSTANTS\n"
CONSTANTS += " 1.4e11, 1e10, 2e10, 0.3, 0.25, 0.2, 5e9, 4e9,\n"
CONSTANTS += " 3e9\n*Density\n 1600.\n"
CUBE = fem.box((1.0, 0.8, 0.6), (1, 1, 1), "hex8")
SOLID = nodes_of(CUBE) + elements_of(CUBE, "C3D8I", "e")
SHEET = "*Node\n1, 0, 0, 0\n2, 1, 0, 0.1\n3, 2, 0, 0\n4, 0, 1, 0\n5, 1, 1, 0\n6, 2, 1, 0.1\n"
SHEET += "*Element, type=S4, elset=e\n1, 1, 2, 5, 4\n*Element, type=S3, elset=e\n2, 2, 3, 6\n3, 2, 6, 5\n"
LINE = "*Node\n1, 0, 0, 0\n2, 2, 0.5, 0\n3, 0, 5, 1\n*Element, type=B31, elset=e\n"
ROUND = "*Orientation, name=o, system=CYLINDRICAL\n -1, -1, 0, -1, -1, 1\n"
PLANE = "*Orientation, name=o\n 1, 0.5, 0, -0.5, 1, 0\n 3, 20\n"
LAYERS = " 0.002, 3, ply, 0\n 0.003, 3, ply, 45\n"
BEAM = "*Beam Section, elset=e, material=steel, section="
PARTS = {
    "layers along x": SHEET + "*Shell Section, elset=e, composite\n" + LAYERS,
    "layers in a system": SHEET + PLANE + "*Shell Section, elset=e, composite, orientation=o, offset=0.2\n" + LAYERS,
    "layers around": SHEET + ROUND + " 3, 20\n*Shell Section, elset=e, composite, orientation=o\n" + LAYERS,
    "a beam with n1": LINE + "1, 1, 2\n" + BEAM + "I\n 0.05, 0.1, 0.05, 0.06, 0.008, 0.009, 0.006\n 0, 1, 0.2\n",
    "a beam without n1": LINE + "1, 1, 2\n" + BEAM + "RECT\n 0.05, 0.1\n",
    "a beam to a node": LINE + "1, 1, 2, 3\n" + BEAM + "RECT\n 0.05, 0.1\n",
    "a solid along its part": SOLID + "*Solid Section, elset=e, material=woven\n,\n",
    "a solid in a system": SOLID + PLANE + "*Solid Section, elset=e, material=woven, orientation=o\n,\n",
    "a solid around": SOLID + ROUND + "*Solid Section, elset=e, material=woven, orientation=o\n,\n",
    "moments of inertia": SOLID + "*Solid Section, elset=e, material=steel\n,\n*Node\n50, 2, 0.5, 0.5\n"
    "*Surface, type=NODE, name=s\n1,\n2,\n3,\n4,\n*Coupling, constraint name=c, ref node=50, surface=s\n"
    "*Distributing\n*Element, type=ROTARYI, elset=r\n9, 50\n*Rotary Inertia, elset=r\n1, 2, 2.5, 0.1, 0.2, 0.3\n",
}  # fmt: skip


def assembled(folder, part, placed):
    text = f"*Part, name=P\n{part}*End Part\n*Assembly, name=A\n*Instance, name=I, part=P\n{placed}*End Instance\n"
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", fem.FlexbodyWarning
        )  # the node that directs a beam is none of the part
        return fem.assemble(read(folder, text + "*End Assembly\n" + MATERIAL + PLY + CONSTANTS))


@pytest.mark.parametrize("name", PARTS)
def test_a_turned_instance(name, tmp_path):
    """All unknowns come in threes, displacements or rotations, which turn alike. 1e-12: rounding."""
    drawn = assembled(tmp_path, PARTS[name], "")
    placed = assembled(tmp_path, PARTS[name], "0.3, -0.4, 0.5\n0, 0, 0, 1, 2, 3, 50\n")
    Q = Rotation.from_rotvec(np.radians(50) * np.array([1, 2, 3]) / np.sqrt(14)).as_matrix()
    assert placed.mesh.points == pytest.approx((drawn.mesh.points + [0.3, -0.4, 0.5]) @ Q.T, abs=1e-12)
    turn = np.kron(np.eye(drawn.n // 3), Q)
    for found, expected in ((placed.K, drawn.K), (placed.M, drawn.M)):
        assert abs(turn.T @ found.toarray() @ turn - expected).max() <= 1e-12 * abs(expected).max()
