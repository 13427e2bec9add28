"""How fast the book's models are, beside the libraries' own. Run with `make bench`."""
