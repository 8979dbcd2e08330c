"""Language servers side by side: how each is started, what is measured of it, and the table."""
