"""The keywords of Abaqus and CalculiX: which are read, which may be left out, and which are refused."""

from __future__ import annotations

_SET = {"GENERATE", "INSTANCE", "INTERNAL", "UNSORTED", "ELSET"}
_SHELL = {
    *(
        "ELSET",
        "MATERIAL",
        "ORIENTATION",
        "OFFSET",
        "COMPOSITE",
        "SYMMETRIC",
        "LAYUP",
        "CONTROLS",
        "STACK DIRECTION",
    ),
    *(
        "NODAL THICKNESS",
        "SHELL THICKNESS",
        "POISSON",
        "THICKNESS MODULUS",
        "TEMPERATURE",
        "SECTION INTEGRATION",
    ),
}
_BEAM = {"ELSET", "MATERIAL", "SECTION", "CONTROLS", "POISSON", "DEPENDENCIES", "OFFSET"}
_SPRING = {"ELSET", "ORIENTATION", "NONLINEAR", "COMPLEX STIFFNESS", "DEPENDENCIES", "RTOL"}

#: keywords that make up the model, and those parameters of theirs that Abaqus knows (None: not checked)
MODEL: dict[str, set[str] | None] = {
    "NODE": {"NSET", "SYSTEM", "INPUT"},
    "ELEMENT": {"TYPE", "ELSET", "INPUT"},
    "NSET": {"NSET", "FREQUENCY", *_SET},
    "ELSET": _SET,
    "NGEN": {"NSET", "LINE", "SYSTEM"},
    "NFILL": {"NSET", "BIAS", "SINGULAR", "TWO STEP"},
    "ELGEN": {"ELSET", "ALL NODES"},
    "EQUATION": {"INPUT", "REMOVE"},
    "TRANSFORM": {"NSET", "TYPE"},
    "NODAL THICKNESS": {"GENERATE"},
    "MASS": {"ELSET", "TYPE", "ORIENTATION", "COMPOSITE"},
    "ROTARY INERTIA": {"ELSET", "ORIENTATION", "COMPOSITE"},
    "NONSTRUCTURAL MASS": {"ELSET", "UNITS", "DISTRIBUTION"},
    **dict.fromkeys(("PART", "END PART", "INSTANCE", "END INSTANCE", "ASSEMBLY", "END ASSEMBLY"), None),
    "SOLID SECTION": {
        "ELSET",
        "MATERIAL",
        "ORIENTATION",
        "COMPOSITE",
        "CONTROLS",
        "REF NODE",
        "SYMMETRIC",
        "LAYUP",
    },
    "SHELL SECTION": {*_SHELL, "DENSITY"},
    "MEMBRANE SECTION": {
        *("ELSET", "MATERIAL", "ORIENTATION", "OFFSET", "NODAL THICKNESS", "MEMBRANE THICKNESS"),
        *("POISSON", "CONTROLS", "DENSITY", "LAYUP"),
    },
    "SURFACE SECTION": {"ELSET", "DENSITY", "CONTROLS"},
    "SHELL GENERAL SECTION": {*_SHELL, "ZERO", "DEPENDENCIES", "DENSITY"},
    "BEAM SECTION": {*_BEAM, "TEMPERATURE"},
    "BEAM GENERAL SECTION": {*_BEAM, "DENSITY", "ZERO"},
    "ORIENTATION": {"NAME", "SYSTEM", "DEFINITION", "LOCAL DIRECTIONS"},
    "ELASTIC": {"TYPE", "MODULI", "DEPENDENCIES"},
    "COUPLING": {"CONSTRAINT NAME", "REF NODE", "SURFACE", "ORIENTATION", "INFLUENCE RADIUS"},
    "KINEMATIC": set(),
    "DISTRIBUTING": {"COUPLING", "ROTATIONAL COUPLING", "WEIGHTING METHOD", "ORIENTATION"},
    "KINEMATIC COUPLING": {"REF NODE", "ORIENTATION"},
    "RIGID BODY": {
        *("NAME", "REF NODE", "ELSET", "NSET", "PIN NSET", "TIE NSET", "ROT NODE", "POSITION", "ISOTHERMAL"),
        "ANALYTICAL SURFACE",
    },
    "MPC": {"INPUT", "MODE"},
    "TIE": {
        "NAME",
        "ADJUST",
        "POSITION TOLERANCE",
        "TYPE",
        "NO ROTATION",
        "CYCLIC SYMMETRY",
        "CONSTRAINT RATIO",
    },
    "SPRING": _SPRING,
    "DASHPOT": _SPRING,
    "DENSITY": {"DEPENDENCIES"},
    "BOUNDARY": {"TYPE", "OP", "LOAD CASE", "REGION TYPE", "PHANTOM"},
    **dict.fromkeys(("MATERIAL", "INCLUDE", "STEP", "END STEP", "HEADING"), None),
    **dict.fromkeys(("SURFACE", "NCOPY", "ELCOPY"), None),
}
#: parameters that say nothing about stiffness and mass, or less than what is read, and why they are left out
TOLD: dict[str, dict[str, str]] = {
    **{key: {"ALPHA": "give damping_ratio= of the body"} for key in ("MASS", "ROTARY INERTIA", "COUPLING")},
    "ELASTIC": dict.fromkeys(
        ("NO COMPRESSION", "NO TENSION", "COMPRESSION FACTOR"), "the material is linear elastic"
    ),
    "BOUNDARY": dict.fromkeys(("AMPLITUDE", "FIXED"), "supports keep the values of their rows"),
    "TIE": {"NO THICKNESS": "the default tolerance reaches over half the thickness of shells"},
    **dict.fromkeys(
        ("BEAM SECTION", "BEAM GENERAL SECTION"),
        dict.fromkeys(
            ("LUMPED", "ROTARY INERTIA"), "the mass is consistent, with the section's own moments of inertia"
        ),
    ),
}

_LOADS = "loads are given to fem.static"
_RESULTS = "requests for results are not read"
_CONTACT = "contact is left out: these surfaces are free"
_LINEAR = "the material is linear elastic"
_CONTROL = "settings of the solution are not read"
_HEAT = "temperatures are not read"

#: keywords that don't change the stiffness and mass of the body, and why they are left out
HARMLESS: dict[str, str] = {
    **dict.fromkeys(("CLOAD", "DLOAD", "DSLOAD", "AMPLITUDE", "BASE MOTION"), _LOADS),
    "INITIAL CONDITIONS": "initial stress is given to fem.preloaded, motion to the machine",
    **dict.fromkeys(("TEMPERATURE", "FILM", "SFILM", "RADIATE", "CFLUX", "DFLUX", "FIELD"), _HEAT),
    **dict.fromkeys(("PHYSICAL CONSTANTS", "CONDUCTIVITY", "SPECIFIC HEAT", "LATENT HEAT"), _HEAT),
    **dict.fromkeys(("NODE PRINT", "EL PRINT", "NODE FILE", "EL FILE", "OUTPUT", "NODE OUTPUT"), _RESULTS),
    **dict.fromkeys(("ELEMENT OUTPUT", "CONTACT OUTPUT", "ENERGY OUTPUT", "FILE FORMAT", "FILTER"), _RESULTS),
    **dict.fromkeys(
        ("FACE PRINT", "CONTACT FILE", "CONTACT PRINT", "ENERGY PRINT", "MODAL OUTPUT"), _RESULTS
    ),
    **dict.fromkeys(("TIME POINTS", "PREPRINT", "RESTART", "MONITOR", "SECTION PRINT"), _RESULTS),
    **dict.fromkeys(("SURFACE INTERACTION", "SURFACE BEHAVIOR", "FRICTION", "CONTACT"), _CONTACT),
    **dict.fromkeys(("CONTACT PAIR", "CONTACT INCLUSIONS", "CONTACT EXCLUSIONS", "CLEARANCE"), _CONTACT),
    **dict.fromkeys(("CONTACT PROPERTY ASSIGNMENT", "CONTACT CONTROLS", "CONTACT DAMPING"), _CONTACT),
    **dict.fromkeys(("CONTACT INITIALIZATION ASSIGNMENT", "CONTACT INITIALIZATION DATA"), _CONTACT),
    **dict.fromkeys(("PLASTIC", "CYCLIC HARDENING", "RATE DEPENDENT", "CREEP", "VISCO"), _LINEAR),
    "DAMPING": "give damping_ratio= of the body",
    **dict.fromkeys(("EXPANSION", "VISCOELASTIC", "DEPVAR", "FAIL STRESS", "FAIL STRAIN"), _LINEAR),
    **dict.fromkeys(("DAMAGE INITIATION", "DAMAGE EVOLUTION", "CONCRETE DAMAGED PLASTICITY"), _LINEAR),
    **dict.fromkeys(("SECTION CONTROLS", "HOURGLASS STIFFNESS", "SECTION POINTS", "CONTROLS"), _CONTROL),
    **dict.fromkeys(
        ("STEP", "END STEP", "STATIC", "DYNAMIC", "FREQUENCY", "BUCKLE", "SOLVER CONTROLS"), _CONTROL
    ),
}

_OWN = "write what it stands for with keywords that are read"
#: keywords with mass, stiffness or geometry that are not read, and what to do
REFUSED: dict[str, str] = {
    **dict.fromkeys(("NMAP", "SYSTEM", "PARAMETER", "PARAMETER DEPENDENCE", "IMPERFECTION"), ""),
    **dict.fromkeys(("SUBSTRUCTURE", "SUBSTRUCTURE PROPERTY", "MATRIX INPUT", "MATRIX ASSEMBLE"), ""),
    **dict.fromkeys(("NORMAL", "DISTRIBUTION", "DISTRIBUTION TABLE"), ""),
    "CONNECTOR SECTION": "connectors are joints of a machine (fb.Revolute, ...); leave them out",
    "DISTRIBUTING COUPLING": "Abaqus and CalculiX read it in different ways; write *Coupling with *Distributing",
    **dict.fromkeys(("FRAME SECTION", "COHESIVE SECTION", "GASKET SECTION", "JOINT", "GAP"), _OWN),
    **dict.fromkeys(("USER ELEMENT", "UEL PROPERTY", "EMBEDDED ELEMENT", "FASTENER", "RELEASE"), _OWN),
    **dict.fromkeys(("SHELL TO SOLID COUPLING", "PRE-TENSION SECTION", "REBAR", "REBAR LAYER"), _OWN),
    **dict.fromkeys(("CYCLIC SYMMETRY MODEL", "SUBMODEL", "INERTIA RELIEF", "FLUID SECTION"), _OWN),
}

_WITH_SHEAR = ("BEAM SECTION", "BEAM GENERAL SECTION", "SHELL SECTION", "SHELL GENERAL SECTION")
#: keywords that belong to the one before them
SUB = {
    "KINEMATIC": ("COUPLING",),
    "DISTRIBUTING": ("COUPLING",),
    **dict.fromkeys(("TRANSVERSE SHEAR STIFFNESS", "TRANSVERSE SHEAR"), _WITH_SHEAR),
    "BEAM SECTION OFFSET": ("BEAM SECTION", "BEAM GENERAL SECTION"),
    "CENTROID": ("BEAM GENERAL SECTION",),
    "SHEAR CENTER": ("BEAM GENERAL SECTION",),
    "BEAM ADDED INERTIA": ("BEAM SECTION", "BEAM GENERAL SECTION"),
}

#: keywords after which an empty line counts: it stands for the degrees of freedom of a spring along its line
BLANK_COUNTS = ("SPRING", "DASHPOT")

_PARAMETERS = (
    *(
        "REF NODE",
        "ROT NODE",
        "TIE NSET",
        "PIN NSET",
        "ANALYTICAL SURFACE",
        "CONSTRAINT NAME",
        "INFLUENCE RADIUS",
    ),
    *(
        "WEIGHTING METHOD",
        "POSITION TOLERANCE",
        "CYCLIC SYMMETRY",
        "NO ROTATION",
        "NODAL THICKNESS",
        "TWO STEP",
    ),
    *(
        "REF NODE",
        "LOCAL DIRECTIONS",
        "STACK DIRECTION",
        "THICKNESS MODULUS",
        "SECTION INTEGRATION",
        "CONSTRAINT RATIO",
    ),
    *("LOAD CASE", "REGION TYPE"),
    *("NO COMPRESSION", "NO TENSION", "COMPRESSION FACTOR", "NO THICKNESS", "ROTARY INERTIA"),
    *(
        "SHELL THICKNESS",
        "MEMBRANE THICKNESS",
        "NEW SET",
        "OLD SET",
        "CHANGE NUMBER",
        "COMPLEX STIFFNESS",
        "ALL NODES",
    ),
)
#: keywords and parameters of several words, by their letters without spaces
WRITTEN = {
    name.replace(" ", ""): name for name in (*MODEL, *HARMLESS, *REFUSED, *SUB, *_PARAMETERS) if " " in name
}
