# make build   the command, as bin/replay, from the same compiled packages as go run and make test
# make install the command and its man page under PREFIX (/usr/local), with completion for bash, fish and zsh
# make dist    static commands for Linux, macOS and Windows on amd64 and arm64, in dist/, with checksums; the compiler
#              optimises these alone by the profile (TARGETS=linux/amd64 builds one)
# make wheel   the Python package with the command of this machine, in dist/; make wheels: with those of make dist
# make test    everything, with the loading tests in a Python environment of its own
# make race    every package's tests under the race detector, which needs a C compiler
# make release all files of a release, in dist/, from a commit with its tag: CONTRIBUTING.md has the steps
# make newest  the loading tests with the newest versions of the Python packages, which a new user gets
# make results the papers' experiments, into the tables of docs/results; REPLAY_DATA names the folder of
#              real inputs, LARGE=--large adds those that take long
# make bench   go benchmarks, then whole runs; CAPTURES=DIR adds captures of Accel-Sim, ACCELSIM_ROOT=DIR/gpu-simulator
#              cycles and processor seconds of both simulators on programs of the samples
# make profile cmd/replay/replay.pgo, by which the compiler optimises the commands of make dist, from the benchmarks
# make same   BASE=REVISION: whether every table of every sample and capture has the bytes that it had there
# make narrow  of the results the narrow tasks alone

PYTHON ?= python3
VENV   := .venv

PREFIX ?= /usr/local
DESTDIR ?=
VERSION := $(shell sed -n 's/^const release = "\(.*\)"/\1/p' cmd/command/version.go)
TARGETS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: release race docs newest processors platforms same lint install dist wheel wheels narrow build test bench profile results venv clean

# One build configuration, that of a plain go command: go run, make build, make test and a module of policies new
# share their compiled packages. Settings of the linker alone (-s -w) compile nothing anew; -trimpath, -pgo and
# another CGO_ENABLED would compile every package once more.
build:
	go build -buildvcs=auto -ldflags="-s -w" -o bin/replay ./cmd/replay

install: build
	install -D -m 755 bin/replay $(DESTDIR)$(PREFIX)/bin/replay
	bin/replay man -o $(DESTDIR)$(PREFIX)/share/man/man1
	mkdir -p $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	bin/replay completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/replay
	bin/replay completion fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/replay.fish
	bin/replay completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_replay

dist:
	@mkdir -p dist
	@for t in $(TARGETS); do \
		name=dist/replay-$(VERSION)-$${t%/*}-$${t#*/}; [ $${t%/*} = windows ] && name=$$name.exe; \
		echo "$$name"; CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} \
		go build -trimpath -pgo=cmd/replay/replay.pgo -buildvcs=auto -ldflags='-s -w' -o $$name ./cmd/replay || exit 1; \
	done
	@cd dist && sha256sum replay-$(VERSION)-* > SHA256SUMS

wheel: build
	cd cmd/python && $(PYTHON) -m pip wheel -q --no-deps -w ../../dist .

wheels: dist
	@for t in $(TARGETS); do \
		case $$t in linux/amd64) p=manylinux2014_x86_64 ;; linux/arm64) p=manylinux2014_aarch64 ;; darwin/amd64) p=macosx_11_0_x86_64 ;; \
		darwin/arm64) p=macosx_11_0_arm64 ;; windows/amd64) p=win_amd64 ;; windows/arm64) p=win_arm64 ;; *) echo "no wheel of $$t"; continue ;; esac; \
		name=replay-$(VERSION)-$${t%/*}-$${t#*/}; [ $${t%/*} = windows ] && name=$$name.exe; \
		(cd cmd/python && REPLAY_BINARY=../../dist/$$name REPLAY_PLATFORM=$$p $(PYTHON) -m pip wheel -q --no-deps -w ../../dist .) || exit 1; \
	done

release:
	@.ci/release

venv: $(VENV)/.stamp

REQUIREMENTS := samples/queries/requirements.txt replay/timeline/testdata/requirements.txt cmd/python/notebooks/requirements.txt

# pip would compile every module, also of those that no test imports; what the tests import is compiled by doing so
IMPORTS := duckdb, google.protobuf, ipykernel.kernelapp, matplotlib.pyplot, nbclient, nbformat, pandas, perfetto, polars, \
	pyarrow.compute, pyarrow.dataset, pyarrow.parquet

$(VENV)/.stamp: $(REQUIREMENTS)
	@if command -v $(PYTHON) >/dev/null 2>&1; then \
		echo "== Python environment of the loading tests"; \
		$(PYTHON) -m venv $(VENV) && $(VENV)/bin/pip install -q --no-compile --disable-pip-version-check $(REQUIREMENTS:%=-r %) && \
		PYTHONDONTWRITEBYTECODE= $(VENV)/bin/python -c "import $(IMPORTS)" && touch $@; \
	else echo "no $(PYTHON): the loading tests will be skipped"; fi

# lint finds functions that nobody calls, tests neither, and fields that nobody uses: some 40 s of a processor
# when its tools are built
lint:
	@.ci/lint

test: venv
	go vet ./...
	@.ci/lint
	go run ./internal/floors

# race has an hour for each package: the detector makes the machine some ten times as slow. The tag
# compares the recorded digests of columns with pqarrow, which takes longer to compile than all else
race:
	CGO_ENABLED=1 go test -race -short -tags=pqarrow -timeout 60m ./...

# newest runs the loading tests in a copy of the last commit whose Python environment has no pins
newest:
	@d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && git archive HEAD | tar -x -C "$$d" && cd "$$d" && \
	$(PYTHON) -m venv $(VENV) && \
	cat $(REQUIREMENTS) | sed 's/#.*//; s/[=;].*//' | sort -u >newest.txt && $(VENV)/bin/pip install -q --disable-pip-version-check -r newest.txt && \
	$(VENV)/bin/pip list --disable-pip-version-check | grep -iE '^(duckdb|pandas|polars|pyarrow|numpy) ' && touch $(VENV)/.stamp && \
	go test -count=1 ./replay/table ./replay/timeline ./cmd/command -run 'Engines|Quer|Question|Load|Notebook|Python|Perfetto|Readme'

# processors compares every sample's bytes with those of other processors: of 64 and 32 bits, and of the
# other byte order. All but 386 are emulated (Debian's qemu-user-static); it takes an hour.
PROCESSORS ?= arm64 386 s390x
processors:
	REPLAY_PROCESSORS="$(PROCESSORS)" go test ./cmd/command -run OtherProcessors -timeout 180m -v

# same compares the command with that of another revision: the bytes of every sample's and every capture's trace,
# and of all tables of all policies that apply to them. REPLAY_BASE=FILE compares with a command that there is
BASE ?= HEAD
same:
	@d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && git archive $(BASE) | tar -x -C "$$d" && \
	(cd "$$d" && go build -pgo=off -buildvcs=false -o base ./cmd/replay) && \
	REPLAY_BASE=$${REPLAY_BASE:-$$d/base} go test ./cmd/command -run SameAsBase -timeout 120m -count=1

# platforms compiles everything, the tests too, for other systems and for processors of 32 bits, whose builds need
# -tags=noasm: Arrow has assembly for some processors, and without the tag nothing for others
platforms:
	@for t in linux/386 linux/arm linux/s390x darwin/arm64 windows/amd64; do \
		echo "== $$t"; CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} go vet -tags=noasm ./... || exit 1; \
	done

bench: build
	go test -run '^$$' -bench . -benchmem ./...
	samples/bench.sh bin/replay $(CAPTURES)
	go test ./replay/measured -run AccelSimPrograms -v -count=1 -timeout 3h -command $(CURDIR)/bin/replay -long

profile:
	go test -run '^$$' -bench BenchmarkReplay -benchtime 3s -cpuprofile $(CURDIR)/cmd/replay/replay.pgo -o bin/replay.test ./replay

results: build
	for paper in blockmaestro boundaries dtbl klap laperm pagoda ppcs spawn; do bin/replay reproduce $(LARGE) --into=docs/results/$$paper.md $$paper || exit 1; done

narrow: build
	bin/replay reproduce $(LARGE) --into=docs/results/pagoda.md pagoda

# docs builds the documents as a site with search, in dist/docs
docs:
	$(PYTHON) -m venv dist/.docs && dist/.docs/bin/pip install -q --disable-pip-version-check -r docs/requirements.txt
	NO_MKDOCS_2_WARNING=1 dist/.docs/bin/mkdocs build -q --strict -f docs/mkdocs.yml

clean:
	rm -rf bin dist cmd/python/build cmd/python/*.egg-info $(VENV) replay-out sweep-out
