"""How fast the book's models are, compared with the libraries'. See `make bench`."""
