"""Abaqus and CalculiX input files.

Read are parts and instances (translated, then rotated), nested and generated sets, surfaces of elements and nodes,
``*INCLUDE`` and ``INPUT=``, ``*NGEN`` (straight), ``*NFILL``, ``*NCOPY`` (shift), ``*ELGEN``, ``*ELCOPY``, cylindrical
and spherical ``*NODE``, and:

- materials: ``*ELASTIC`` isotropic, engineering constants, orthotropic and lamina, ``*DENSITY``; of tables that depend
  on the temperature the first row; ``*ORIENTATION``;
- sections of solids, trusses, shells (thickness, offset, layers), beams (all of the library but ELBOW and MESHED;
  GENERAL with its centroid and shear centre; ``*BEAM SECTION OFFSET``) with the direction n1 or the node that gives it;
  CIRC has the radius in Abaqus, the diameter in CalculiX (:mod:`fem.io.abaqus.dialect`);
- ``*COUPLING`` kinematic (also of some degrees of freedom) and distributing (weights uniform or decreasing with the
  distance, by area on surfaces of elements), ``*RIGID BODY``, ``*EQUATION``, ``*TIE``, ``*TRANSFORM``, ``*MPC``
  (:mod:`fem.io.abaqus.multi_point`); ``*MASS``, ``*ROTARY INERTIA``, ``*NONSTRUCTURAL MASS``, linear ``*SPRING`` and
  ``*DASHPOT``; ``*BOUNDARY`` outside of steps becomes ``mesh.supports``.

C3D8 takes the volume strain of its mean (B-bar), in files for CalculiX full integration; C3D8I and C3D8R become bricks
with incompatible modes and full integration; C3D20R is integrated at 2 x 2 x 2 points, C3D6 and C3D15 at 2 and 9. Ties
are of nodes to surfaces, slave nodes are moved onto the faces unless ADJUST=NO, all with a word. Elements and keywords
with mass or stiffness that are not read are errors with their line (:mod:`fem.io.abaqus.words`); what does not change
the body is noted in ``mesh.left_out``, unknown keywords with a warning.
"""
