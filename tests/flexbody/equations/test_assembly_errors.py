"""Systems that can't be assembled, and those with more constraints than needed."""

import warnings

import numpy as np
import pytest
from support.hinged import ONES

import flexbody as fb


def four_bar(ground_length: float) -> fb.System:
    """Crank 0.2 m, coupler 0.5 m, rocker 0.4 m; the rocker's bearing at ``ground_length``."""
    crank = fb.RigidBody("crank", 1, ONES, center=(0, 0.1, 0), markers={"pin": (0, 0.2, 0)})
    coupler = fb.RigidBody(
        "coupler", 1, ONES, center=(0.2, 0.35, 0), markers={"a": (0, 0.2, 0), "b": (0.4, 0.5, 0)}
    )
    rocker = fb.RigidBody(
        "rocker", 1, ONES, center=(0.4, 0.3, 0), markers={"foot": (0.4, 0.1, 0), "top": (0.4, 0.5, 0)}
    )
    bearing = fb.RigidBody("bearing", 1, ONES, markers={"here": (ground_length, 0, 0)})
    return fb.System(
        [crank, coupler, rocker, bearing],
        [
            fb.Fixed("base", fb.GROUND, bearing, point=(0, 0, 0)),
            fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0)),
            fb.Spherical("pin", crank["pin"], coupler["a"]),
            fb.Universal("knee", coupler["b"], rocker["top"], axes=("x", "z")),
            fb.Revolute("foot", bearing["here"], rocker["foot"]),
        ],
    )


def test_a_four_bar_that_closes_is_closed():
    """The bearing stands elsewhere than drawn, by little and within reach: bodies move until all joints are closed."""
    with pytest.warns(fb.FlexbodyWarning, match="revolute joint 'foot' has a gap of"):
        result = fb.simulate(four_bar(0.4), 0.001, step=0.001)
    foot = result.position(result.system.body("rocker")["foot"])[0]
    np.testing.assert_allclose(foot, (0.4, 0, 0), atol=1e-10)
    assert result.statistics.position_correction > 0.03


def test_a_four_bar_with_impossible_lengths():
    """0.2 + 0.5 + 0.4 = 1.1 m can't reach a bearing at 1.3 m: 0.2 m are missing, shared by four joints."""
    with pytest.raises(fb.ConstraintError, match="can't be assembled") as caught:
        fb.simulate(four_bar(1.3), 1.0)
    text = str(caught.value)
    assert "can't be assembled" in text
    missed = [float(part.split(" m or rad")[0]) for part in text.split("as drawn")[0].split("misses by ")[1:]]
    assert 0.02 < max(missed) < 0.2
    assert any(f"joint '{name}' misses by" in text for name in ("foot", "pin", "knee"))
    # as drawn the foot stands at (0.4, 0.1), the bearing at (1.3, 0)
    assert "revolute joint 'foot' misses by 0.9" in text.split("as drawn")[1]


def slider_crank(redundant: bool) -> fb.System:
    """A planar slider-crank in space, with revolute joints all through or without redundancy."""
    crank = fb.RigidBody("crank", 1.0, (0.01, 0.02, 0.02), center=(0.1, 0, 0))
    link = fb.RigidBody("rod", 2.0, (0.01, 0.08, 0.08), center=(0.45, 0, 0))
    slider = fb.RigidBody("slider", 0.5, (0.01, 0.01, 0.01), center=(0.7, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    guide = fb.Prismatic("guide", fb.GROUND, slider, point=(0.7, 0, 0), axis="x")
    if redundant:
        pin = fb.Revolute("pin", crank, link, point=(0.2, 0, 0), axis="y")
        wrist = fb.Revolute("wrist", link, slider, point=(0.7, 0, 0), axis="y")
    else:
        pin = fb.Spherical("pin", crank, link, point=(0.2, 0, 0))
        wrist = fb.Universal("wrist", link, slider, point=(0.7, 0, 0), axes=("y", "z"))
    drive = fb.Drive("drive", main, rate=20.0)
    return fb.System([crank, link, slider], [main, pin, wrist, guide, drive], gravity=(0, 0, -9.81))


@pytest.fixture(scope="module")
def results():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the regular one says nothing
        regular = fb.simulate(slider_crank(False), 0.3, step=1e-3)
    with pytest.warns(fb.RedundantConstraintWarning, match="3 of the 21 constraints") as caught:
        redundant = fb.simulate(slider_crank(True), 0.3, step=1e-3)
    return regular, redundant, [str(entry.message) for entry in caught]


class TestRedundant:
    def test_one_warning_names_the_joints(self, results):
        """Three revolutes and a prismatic joint in a plane: three of the 20 + 1 constraints too many."""
        assert len(results[2]) == 1
        assert "3 of the 21 constraints depend on the others" in results[2][0]
        for joint in ("main", "pin", "wrist", "guide"):
            assert f"'{joint}'" in results[2][0]
        assert "drive" not in results[2][0].split("share")[0]
        assert results[1].statistics.rank == 18

    def test_equal_motion(self, results):
        regular, redundant, _ = results
        for body in ("crank", "rod", "slider"):
            np.testing.assert_allclose(redundant.position(body), regular.position(body), atol=1e-8)
            np.testing.assert_allclose(redundant.rotation(body), regular.rotation(body), atol=1e-8)

    @pytest.mark.parametrize("how", ["run", "kinematics"])
    def test_equal_reactions_in_the_plane(self, results, how):
        """What the motion determines: the forces in the plane, and the driving moment.

        Kinematics has no steps: round-off. In a run the last correction of a position may lie above its round-off in
        one machine and below it in the other: then one step's forces differ by a part of its error, of 1e-4 at 1 ms.
        """
        regular, redundant = results[:2] if how == "run" else self.driven()
        atol = 1e-4 if how == "run" else 1e-9
        for joint in ("main", "pin", "wrist", "guide"):
            one, other = regular.reaction(joint).force, redundant.reaction(joint).force
            size = np.abs(one).max()
            np.testing.assert_allclose(other[:, [0, 2]], one[:, [0, 2]], atol=atol * size)
        one, other = regular.reaction("drive").moment, redundant.reaction("drive").moment
        np.testing.assert_allclose(other, one, atol=atol * np.abs(one).max())

    def driven(self):
        """Return both machines at the positions that the drive gives."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
            return [
                fb.kinematics(slider_crank(redundant), 0.3, output_step=1e-2) for redundant in (False, True)
            ]

    def test_least_norm(self, results):
        """Nothing acts out of the plane, so the smallest reactions have nothing there either."""
        redundant = results[1]
        for joint in ("main", "pin", "wrist", "guide"):
            wrench = redundant.reaction(joint)
            assert np.abs(wrench.force[:, 1]).max() < 1e-7 * np.abs(wrench.force).max()
            assert (
                np.abs(wrench.moment[:, [0, 2]]).max()
                < 1e-7 * np.abs(redundant.reaction("drive").moment).max()
            )
