"""What a run gives: motion, reactions, stresses, energies, over time."""
