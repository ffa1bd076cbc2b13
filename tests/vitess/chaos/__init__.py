"""Writers that never stop, faults that break what vstream streams from, and a judge of the lines that came through."""
