"""What an edit changed, over syntax trees: its hunks, and the kind of change that it is. Pure."""
