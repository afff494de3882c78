"""The paper's corpora CADEC and ShARe/CLEF, and its plots of attention weights."""
