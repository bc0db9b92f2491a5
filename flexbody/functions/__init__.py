"""Functions of time and of frames that a user gives: recorded, compiled or called back."""
