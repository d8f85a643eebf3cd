# make build   the command, as bin/replay
# make test    everything, with the loading tests in a Python environment of its own
# make results the child-launch papers' benchmarks, as the tables of POLICIES.md
# make bench   go benchmarks, then whole runs; CAPTURES=DIR adds captures of Accel-Sim
# make narrow  the table of narrow tasks in POLICIES.md

PYTHON ?= python3
VENV   := .venv

.PHONY: narrow build test bench results venv clean

build:
	go build -trimpath -o bin/replay ./cmd/replay

venv: $(VENV)/.stamp

$(VENV)/.stamp: samples/queries/requirements.txt
	@if command -v $(PYTHON) >/dev/null 2>&1; then \
		echo "== Python environment of the loading tests"; \
		$(PYTHON) -m venv $(VENV) && $(VENV)/bin/pip install -q --disable-pip-version-check -r $< && touch $@; \
	else echo "no $(PYTHON): the loading tests will be skipped"; fi

test: venv
	go vet ./...
	go test ./...

bench: build
	go test -run '^$$' -bench . -benchmem ./...
	samples/bench.sh bin/replay $(CAPTURES)

results:
	go test ./policies -run Results -v -results -timeout 60m | grep '^|\|over cdp\|FAIL'

narrow: build
	samples/narrow.sh bin/replay

clean:
	rm -rf bin $(VENV) replay-out sweep-out
