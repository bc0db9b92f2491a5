"""Flexible multibody dynamics: machines of rigid and flexible bodies in motion."""
