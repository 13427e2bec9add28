# Everything the book needs, from Python 3.11 to 3.13, pip, git and make alone.
# `make` lists the commands. Another Python: `make PYTHON=python3.12 book`.

PYTHON ?= python3
# An index of CPU builds of PyTorch, for a smaller installation.
TORCH_INDEX ?=
export TORCH_INDEX
PORT ?= 8000

BIN := .venv/bin
INSTALLED := .venv/installed
HTML := _build/html

NOTEBOOKS := $(wildcard book/$(N)*.ipynb)
MODULE := $(shell find scratch readymade -name '*.py' -o -name '*.js' -o -name '*.txt' 2>/dev/null)
LOOK := $(shell find book/_ext book/_assets book/_templates book/glossary.md _config.yml -type f -not -name '*.pyc' 2>/dev/null)

# One thread a process: results repeat, and processes side by side do not fight.
export OMP_NUM_THREADS := 1
export TF_NUM_INTRAOP_THREADS := 1
export TF_NUM_INTEROP_THREADS := 1

# What is compiled once need not be compiled by each of a hundred processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help install book serve pdf notebooks colab test bench links repository

help:
	@echo "make book          build the book and print where to open it"
	@echo "make test          prove all of it: style, module, notebooks, pages"
	@echo "make serve         build the book and serve it on 127.0.0.1:$(PORT)"
	@echo "make pdf           build the book and print it as one PDF (needs Chromium)"
	@echo "make notebooks     execute changed notebooks, store outputs (N=03: one)"
	@echo "make colab         execute them in the versions of Colab, say what differs"
	@echo "make bench         measure speed and memory"
	@echo "make links         visit every link of the book (needs the network)"
	@echo "make install       only set up .venv"
	@echo "make repository URL=https://github.com/you/book    move to another address"

install: $(INSTALLED)

$(INSTALLED): requirements.txt pyproject.toml tools/preflight.py
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here:" \
	  "install Python 3.11, 3.12 or 3.13, or name one: make PYTHON=python3.12 book"; exit 1; }
	@$(PYTHON) tools/preflight.py
	@echo "Installing into .venv (a few GB the first time, a few minutes) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) -r requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@# Root marks notebooks as a user who owns nothing, and yet reads what is installed.
	@test "$$(id -u)" -ne 0 || chmod -R go+rX .venv scratch readymade exercises
	@touch $@

book: $(INSTALLED) _build/look
	@$(BIN)/jupyter-book build . -W -n --keep-going --quiet >/dev/null
	@echo "Open $(CURDIR)/$(HTML)/index.html"

# Sphinx rebuilds a page whose text changed, not one whose styles or extension did.
_build/look: $(LOOK)
	@rm -rf $(HTML) _build/.doctrees
	@mkdir -p _build && touch $@

serve: book
	@echo "Read http://127.0.0.1:$(PORT)/ (Ctrl-C ends, PORT=8001 for another port)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(HTML) $(PORT)

pdf: book
	@$(BIN)/python tools/pdf.py

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
	  -r tools/colab.txt --editable ".[torch,tensorflow]"
	@touch $@

test: $(INSTALLED)
	@$(BIN)/python -m pytest -n auto

# Only here has a program the machine to itself: let it take all threads.
bench: $(INSTALLED)
	@env -u OMP_NUM_THREADS -u TF_NUM_INTRAOP_THREADS -u TF_NUM_INTEROP_THREADS \
	  $(BIN)/python -m benchmarks

links: $(INSTALLED)
	@$(BIN)/jupyter-book build . --builder linkcheck

repository:
	@$(PYTHON) tools/move.py "$(URL)"
