"""Foreign and stored shapes to and from the model: pure, no I/O."""
