"""Small motions about a state: linear equations, eigenvalues, Campbell diagrams."""
