# verbsgen: `make` generates bindings from the installed verbs.h into a scratch package, builds it and runs the demo; `make test` passes all tests.
# `make help` lists the targets. The pattern `work` is the packages of all modules in go.work.

SHELL := /bin/bash
GO ?= go
HEADER ?= /usr/include/infiniband/verbs.h
LIBS ?= 33.2 44.0 56.1 65.0
FUZZTIME ?= 10s
KERNEL ?= 6.1
RDMA ?=
OUT ?=
JSON ?=
ROUNDS ?=
AGAINST ?=
FRESH ?=
ONLY ?=
# 1: that the tests on a kernel device cannot run is a failure. It is for their step alone.
REQUIRE_DEVICE := $(VERBS_REQUIRE_DEVICE)
unexport VERBS_REQUIRE_DEVICE
# examples that run on a kernel device too
EXAMPLES := ./examples/pingpong ./examples/gpumemory ./examples/srqserver ./examples/bell ./examples/kv ./examples/pingmesh ./examples/grpc
# packages with goroutines, and those that pass all kinds of memory to C
RACE := ./runtime/... ./gen/rdmacm/conn ./gen/rdmacm/rdmanet ./gen/verbs/connect ./gen/verbs/endpoint ./gen/mlx5dv/direct ./conformance ./conformance/device/oncard ./conformance/recording/calls \
	./conformance/abuse/careless ./conformance/abuse/soak ./conformance/device/cm ./conformance/suite/remote ./examples/pingmesh ./examples/perf ./examples/grpc
HOST_TESTS := test-go race libs conformance-mlx5 programs
comma := ,
space := $(subst ,, )
# the suite in the guest: its reports are in the folder that comes out
SUITE := -test.run ^TestSuite$$ -device rxe0 -peer-device rxe1 -overlay -report /out/suite.json -junit /out/suite.xml
# cases of tests that have software devices only: the guest, where all is slower, does not run them again
SOFTWARE := /^software
# 1: fewer connections in the guest
SHORT ?=

.DEFAULT_GOAL := all

.PHONY: all help setup fresh generate check test test-host guest test-go lint race sweep fuzz libs conformance-mlx5 card-programs programs conformance-vm matrix release bench

all: setup ## set up, generate from the installed verbs.h into a scratch package, run the demo
	@.ci/scratch "$(HEADER)"
	$(GO) run ./examples/demo

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: # install missing packages (libibverbs-dev and others; without root only name them)
	@.ci/setup

fresh: # make and test-host on a bare Debian with empty caches (without root: only with empty caches); FRESH=make: only make
	@.ci/fresh $(FRESH)

generate: ## regenerate what is checked in (gen, declarations of runtime/gensupport, names of runtime/gensupport/dpath, the lists of conformance/recording/exported, docs/pictures, the schemas of pages, spec/REFERENCE.md, numbers and lists in documents)
	$(GO) generate ./gen/... ./runtime/gensupport ./runtime/gensupport/dpath ./conformance/recording/exported
	$(GO) run ./conformance/documents/pictures -o docs/pictures
	$(GO) test ./spec -run TestSchemas -update-schema
	$(GO) test ./cmd/verbsgen -run TestLimitationsNumbers -update
	$(GO) test ./conformance/documents/pythontests -update

check: ## report checked-in files that generate would change, and rules without the tests that they need
	$(GO) run ./cmd/verbsgen check
	$(GO) run ./cmd/verbsgen rules --check --tests gen/verbs --tests conformance
	$(GO) test -run TestCheckedIn ./cmd/verbsgen/internal/gogen ./cmd/verbsgen/internal/cgen

# Compilers, and tests that compile, take a fifth less time when the garbage collector runs less often.
check test test-host test-go lint race fuzz libs conformance-mlx5: export GOGC ?= 400

# The guest keeps one core busy: the other tests are beside it. Each package is shown as it ends. What failed, and what could not be run, is said again at the end.
test: setup check lint ## all tests, also those on a kernel device in a virtual machine
	@mkdir -p out; set -o pipefail; $(MAKE) -j2 guest SHORT=1 $(HOST_TESTS) 2>&1 | tee out/test.log || \
		{ echo '==== FAILED'; grep -E -A 4 -- '--- FAIL|^(guest: )?(FAIL|panic:|     failed )|\*\*\* .*Error' out/test.log; exit 1; }
	@grep -A 1 '==== NOT RUN' out/test.log || true

guest: # conformance-vm, with a word before its lines that tells them from those of the tests beside it
	@set -o pipefail; $(MAKE) conformance-vm 2>&1 | sed -u 's/^/guest: /'

test-host: setup check lint ## all tests except those in the virtual machine
	$(MAKE) -j2 $(HOST_TESTS)

# lint has vetted all packages
test-go: # go test of all packages, without vet
	$(GO) test -vet=off -timeout 60m work

# Without a C compiler for another system only the list of files sees cgo: it refuses C files that no Go file of a package uses.
# The check cgocall of vet is made by a command that finds the files of this clone with -trimpath too: see its comment.
lint: ## gofmt, lines of at most 140 columns, no SRCDIR, tidy go.mod files, vet (also for arm64), builds for other systems, staticcheck, no large files, shellcheck where it is installed
	@bad=$$(git ls-files -z '*.go' | xargs -0 gofmt -l); if [ -n "$$bad" ]; then echo "gofmt -w these:"; echo "$$bad"; exit 1; fi
	@.ci/lines
	@if git grep -n '^#cgo.*SRCDIR' -- '*.go'; then echo "include a header by its path: SRCDIR has each clone compile the package anew"; exit 1; fi
	@.ci/tidy check
	$(GO) vet -cgocall=false work
	@mkdir -p out && $(GO) build -o out/cgocall ./cmd/verbsgen/internal/vet/cgocall
	$(GO) vet -vettool=$(CURDIR)/out/cgocall $$($(GO) list -f '{{if .CgoFiles}}{{.ImportPath}}{{end}}' work)
	$(GO) tool staticcheck work
	CGO_ENABLED=0 $(GO) vet work
	GOARCH=arm64 CGO_ENABLED=0 $(GO) vet ./runtime/... ./gen/...
	@for os in darwin freebsd windows; do echo "build for $$os"; CGO_ENABLED=1 GOOS=$$os $(GO) list ./runtime/... ./gen/... >/dev/null && \
		CGO_ENABLED=0 GOOS=$$os $(GO) build ./runtime/... ./gen/... || exit 1; done
	CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/verbsgen
	@big=$$(git ls-files -z | xargs -0 -r du -k --apparent-size | awk '$$1 > 1024'); if [ -n "$$big" ]; then echo "more than 1 MiB; is it meant to be in git?"; echo "$$big"; exit 1; fi
	@if command -v shellcheck >/dev/null; then shellcheck .ci/* $$(git ls-files '*.sh'); else echo "shellcheck is not installed: scripts not checked"; fi

# without tests that these two ways of building do not reach or that show nothing more: of other programs, of mistakes that tests see, of the
# text of C files, of single calls that libraries refuse; and without the suite in processes of its own, which TestSuite runs in this one.
# The garbage collector runs as in programs.
race: # tests of concurrent code with the race detector and all checks of cgo's pointer rules
	GOEXPERIMENT=cgocheck2 $(GO) test -exec 'env GOGC=100' -race -vet=off -timeout 60m -skip '^Test(Parties|Swapped|Sanitizers|Copied$$|Slurm$$|FlagsOfMesh|TableOfVerbs|LikeMLX5|Unprivileged|Lacking|GPUMemory)' $(RACE)

sweep: fuzz ## what `make test` takes samples of, with everything: each function in each release, each left out, damaged headers, wrong bindings, a soak of minutes; fuzz targets, and gcc's address sanitizer
	VERBSGEN_SWEEP=1 $(GO) test -count=1 -timeout 60m ./cmd/verbsgen/internal/generate
	VERBSGEN_SWEEP=1 $(GO) test -count=1 -timeout 60m -run TestMutants ./conformance
	$(GO) test -count=1 -timeout 60m -run 'Test(Page)?Mutations$$' ./cmd/verbsgen -mutations 336 -page-mutations 200
	$(GO) test -count=1 ./conformance/abuse/soak -for 1m
	GOEXPERIMENT=cgocheck2 $(GO) test -count=1 -race ./conformance/abuse/soak -for 1m
	@.ci/asan

fuzz: # run every fuzz target for FUZZTIME
	@.ci/fuzz "$(FUZZTIME)"

libs: # one test binary with the real libibverbs of other releases (network at the first run): make libs [LIBS="33.2 65.0"]
	@.ci/libs $(LIBS)

conformance-mlx5: setup # the suite and the rules on the real libmlx5, above an emulated kernel half and card: make conformance-mlx5 [RDMA="installed 65.0"]
	@.ci/mlx5 $(or $(RDMA),installed 44.0 56.1 65.0)

card-programs: setup # other people's programs on the emulated card; installs MPICH and Open MPI; write out/card-programs.md: make card-programs [PROGRAMS="ucx"]
	@.ci/card-programs $(PROGRAMS)

programs: setup # a few runs of those that need no installation
	@.ci/card-programs -q rdmacm perftest ucx libfabric

conformance-vm: ## tests on a real kernel device (soft-RoCE) in a virtual machine: make conformance-vm [KERNEL=6.1|6.12|7.2] [RDMA=44.0|56.1|65.0] [OUT=folder]
	VERBS_REQUIRE_DEVICE=$(REQUIRE_DEVICE) $(GO) run ./conformance/vm -time 60m -kernel $(KERNEL) $(if $(RDMA),-rdma '$(RDMA)') $(if $(OUT),-out '$(OUT)') -packages ./conformance/device,./conformance/abuse/failures,./conformance/device/cm,./gen/rdmacm/conn,./gen/verbs/endpoint,$(subst $(space),$(comma),$(EXAMPLES)),./conformance -args './conformance=$(SUITE)' -args './examples/pingmesh=-test.run ^TestRun$$' $(if $(SHORT),-args './gen/rdmacm/conn=-test.short') -- -test.skip '$(SOFTWARE)'

matrix: ## run the suite on the software device, all kernels and the card; write out/matrix, docs/reports and docs/conformance-matrix.*: make matrix [ONLY=card]
	@.ci/matrix $(ONLY)

release: ## check what a release needs besides make test; with a version, prepare it and print the git commands: make release [VERSION=v0.1.0]
	@.ci/release $(VERSION)

bench: ## all benchmarks in one table, with targets and verdicts; takes some minutes: make bench [JSON=file] [ROUNDS=3] [AGAINST=commit]
	@$(GO) run ./conformance/bench $(if $(JSON),-json $(JSON)) $(if $(ROUNDS),-rounds $(ROUNDS)) $(if $(AGAINST),-against $(AGAINST))
