"""Blows on stiff stops: what error control makes of them, and of slow bodies beside."""

import numpy as np
import pytest

import flexbody as fb


def run(bodies, joints, forces, t_end, **options):
    machine = fb.System(bodies, joints, forces)
    return fb.simulate(machine, t_end, show_progress=False, **options)


def hammer(mass: float, speed: float, stiffness: float):
    """A body that flies at a stop 0.1 m away: body, guide and stop."""
    body = fb.RigidBody("hammer", mass, (1e-4, 1e-4, 1e-4), center=(0, 1, 0), velocity=(-speed, 0, 0))
    guide = fb.Prismatic("slide", fb.GROUND, body, point=(0, 1, 0), axis="x")
    return body, guide, fb.Limit("stop", guide, lower=-0.1, stiffness=stiffness)


class TestRestitution:
    """A stop without dissipation gives back all: 1 kg at 1 m/s, in contact for 3.2 m^0.4 / (k^0.4 v^0.2) seconds."""

    @pytest.mark.parametrize("stiffness", np.logspace(8, 12, 9))
    def test_speed_after_the_blow(self, stiffness):
        """rtol bounds errors of positions, over the depth of the blow and the way in a step: after one blow of some
        hundred steps the speed and the energies are right to a hundred times that."""
        found = []
        for rtol in (1e-5, 1e-7):
            body, guide, stop = hammer(1.0, 1.0, stiffness)
            after = run([body], [guide], [stop], 0.12, integrator=fb.GeneralizedAlpha(rtol=rtol))
            missed = abs(after.coordinate_rate("slide")[-1] - 1.0)
            found.append(max(missed, after.energy.balance_error))
        assert found[0] < 1e-3
        assert found[1] < 1e-5


def test_a_blow_is_forgotten():
    """A block with friction is pulled to and fro beside a hammer, unconnected: as if it were alone.

    The blow of 1 g at 10 m/s on 1e10 N/m^1.5 takes 1e-6 s and 3e6 m/s^2; Newton's iteration for the block is judged
    by what the block does.
    """
    block = fb.RigidBody("block", 1.0, (1e-2, 1e-2, 1e-2), velocity=(0.1, 0, 0))
    way = fb.Prismatic("way", fb.GROUND, block, point=(0, 0, 0), axis="x")
    rub = fb.Friction("rub", way, load=5.0, regularisation_velocity=1e-5)
    pull = fb.PointForce("pull", block, lambda t: (8.0 * np.sin(4 * np.pi * t), 0.0, 0.0))
    options = {"integrator": fb.GeneralizedAlpha(), "output_step": 1e-3}
    alone = run([block], [way], [rub, pull], 0.5, **options)
    body, guide, stop = hammer(1e-3, 10.0, 1e10)
    both = run([block, body], [way, guide], [rub, pull, stop], 0.5, **options)
    # both runs have their own steps: forces agree but where the block turns round, within the steps there
    off = np.abs(both.element("rub").force - alone.element("rub").force)
    assert np.quantile(off, 0.98) < 0.05
    assert both.energy.balance_error < 1e-3
    assert both.statistics.iterations < 3 * alone.statistics.iterations
