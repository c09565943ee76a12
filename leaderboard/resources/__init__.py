"""Language resources built from the runs of teams. Pure: arrays in, arrays out."""
