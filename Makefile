# make build   the command, as bin/replay: static, which also starts faster
# make test    everything, with the loading tests in a Python environment of its own
# make results the papers' experiments, into the tables of POLICIES.md; REPLAY_DATA names the folder of
#              real inputs, LARGE=--large adds those that take long
# make bench   go benchmarks, then whole runs; CAPTURES=DIR adds captures of Accel-Sim
# make profile cmd/replay/default.pgo, by which the compiler optimises the command, from the benchmarks
# make narrow  of the results the narrow tasks alone

PYTHON ?= python3
VENV   := .venv

.PHONY: narrow build test bench profile results venv clean

build:
	CGO_ENABLED=0 go build -trimpath -o bin/replay ./cmd/replay

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

profile:
	go test -run '^$$' -bench BenchmarkReplay -benchtime 3s -cpuprofile $(CURDIR)/cmd/replay/default.pgo -o bin/replay.test ./replay

results: build
	for paper in dtbl pagoda ppcs spawn; do bin/replay reproduce $(LARGE) --into=POLICIES.md $$paper || exit 1; done

narrow: build
	bin/replay reproduce $(LARGE) --into=POLICIES.md pagoda

clean:
	rm -rf bin $(VENV) replay-out sweep-out
