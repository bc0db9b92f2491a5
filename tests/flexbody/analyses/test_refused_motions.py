"""What an analysis can't do is refused in words: laws that fail, laws that were lost in files."""

import numpy as np
import pytest

import flexbody as fb


def driven(law):
    crank = fb.RigidBody("crank", 1.0, (0.01, 0.02, 0.02), center=(0.1, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, crank, point=(0, 0, 0), axis="z")
    drive = fb.Drive("drive", hinge, value=lambda t: np.sin(3 * t))
    return fb.System([crank], [hinge, drive], [fb.ForceElement("law", fb.Along(hinge), law)])


def test_kinematics_with_a_law_that_fails():
    def fails(t, x, rate):
        if t > 0.5:
            raise ValueError("worn out")
        return 0.0

    with pytest.raises(fb.InputError, match=r"ForceElement 'law': the law fails at .* worn out"):
        fb.kinematics(driven(fb.UserLaw(fails)), 1.0)


def test_a_users_law_out_of_a_file_is_no_law(tmp_path):
    block = fb.RigidBody("block", 1.0, (1, 1, 1))
    rail = fb.Prismatic("rail", fb.GROUND, block, point=(0, 0, 0), axis="x")
    law = fb.UserLaw(lambda t, x, rate: 100.0 * x + x**3)
    push = fb.PointForce("push", block, (10.0, 0, 0))
    machine = fb.System([block], [rail], [fb.ForceElement("spring", fb.Along(rail), law), push])
    fb.simulate(machine, 0.1).save(tmp_path / "run.h5")
    with pytest.warns(fb.FlexbodyWarning, match="ForceElement 'spring' was read from a file"):
        fb.simulate(fb.load_result(tmp_path / "run.h5").system, 0.1)
