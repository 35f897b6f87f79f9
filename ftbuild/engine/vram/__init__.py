"""GPU memory of one rank: named parts at each moment of a training step, the largest of which decides."""
