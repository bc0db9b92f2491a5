"""What a machine is: bodies, joints, forces, drives and constraints, as frozen descriptions."""
