"""Pure rules: no I/O, no clock, no chance. Time, epoch and random numbers come in as arguments."""
