"""Text in every character set of MySQL, and the comparison of what vstream printed with what MySQL makes of it."""
