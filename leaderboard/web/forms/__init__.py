"""What pages let people fill in."""
