"""The properties that elements can have."""

from __future__ import annotations

from .beam.beam import Beam
from .property import Property
from .shell.general import GeneralShell
from .shell.layered import Layer, LayeredShell
from .shell.pure_membrane import Membrane
from .shell.shear_panel import ShearPanel
from .shell.shell import Shell
from .shell.varying import FirstSide
from .solid.solid import Solid
from .truss.truss import Truss

__all__ = [
    "Beam",
    "FirstSide",
    "GeneralShell",
    "Layer",
    "LayeredShell",
    "Membrane",
    "Property",
    "ShearPanel",
    "Shell",
    "Solid",
    "Truss",
]
