"""How far a reduced body's stresses are from its finite-element model's, and that this is what is told."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.every import STEEL, straight

import fem
import modal

R = Rotation.from_rotvec([0.3, -1.1, 2.0]).as_matrix()


class TestError:
    @pytest.fixture
    def structure(self):
        return fem.assemble(straight("hex8", 4), fem.Solid(STEEL))

    def test_none_with_all_degrees_of_freedom(self, structure):
        """A basis of everything has the full model's stresses; round-off grows with the condition of K."""
        found = modal.stress_error(
            structure, modal.reduce(structure, modal.all_degrees_of_freedom(structure), markers=("x1",))
        )
        assert found.worst < 1e-6
        assert found.largest["x1"].max() < 1e-6

    def test_none_with_the_shapes_of_the_loads(self, structure):
        """Attachment modes are the displacements under these very loads; round-off as above."""
        names = ("x0", "x1")
        basis = modal.combine(
            modal.craig_bampton(structure, names, n_normal=1), modal.attachment_modes(structure, names)
        )
        found = modal.stress_error(structure, modal.reduce(structure, basis)).rms
        assert max(values[:6].max() for values in found.values()) < 1e-6
        assert min(values[6:].max() for values in found.values()) > 0.01  # rotation is no such load
        basis = modal.combine(basis, modal.inertia_modes(structure))
        assert modal.stress_error(structure, modal.reduce(structure, basis)).worst < 1e-6

    @pytest.mark.slow
    def test_less_with_more_modes_in_any_frame(self, structure):
        worst = []
        for n in (0, 4, 12):
            basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=n)
            by_frame = [
                modal.stress_error(structure, modal.reduce(structure, basis, frame=frame))
                for frame in (None, modal.FixedPoint("x0"), modal.Chord("x0", "x1"))
            ]
            for other in by_frame[1:]:
                for name in ("x0", "x1"):
                    np.testing.assert_allclose(other.rms[name], by_frame[0].rms[name], rtol=1e-5, atol=1e-8)
            worst.append(by_frame[0].worst)
        assert worst[0] > worst[1] - 1e-9 > worst[2]  # four are not enough for the worst
        assert worst[0] > 0.01

    def test_words(self, structure):
        basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=2)
        body = modal.reduce(structure, basis)
        assert all(
            word in modal.stress_error(structure, body, interfaces=["x0"]).report()
            for word in ("x0", "rms", "Mz", "Wz", "away")
        )
        with pytest.raises(fem.InputError, match="no stress modes"):
            modal.stress_error(structure, modal.reduce(structure, basis, stress=False))
        with pytest.raises(fem.InputError, match=r"no markers 'tip'; it has 'x0', 'x1'"):
            modal.stress_error(structure, body, interfaces=["tip"])
        with pytest.raises(fem.InputError, match="was turned"):
            modal.stress_error(structure, body.turned(R))
        with pytest.raises(fem.InputError, match="another structure"):
            modal.stress_error(fem.assemble(straight("hex8", 5), fem.Solid(STEEL)), body)
