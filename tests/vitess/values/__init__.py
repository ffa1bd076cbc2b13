"""Every column type filled with nasty values, and the comparison of what vstream printed with what the source holds."""
