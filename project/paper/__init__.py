"""Read the paper's corpora CADEC and ShARe/CLEF, and plot attention weights as in the paper."""
