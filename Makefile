# Needs only Go; `make race` needs a C compiler as well.
GO       ?= go
PKGS     := ./...
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS  := -X main.linkedVersion=$(VERSION)
TIMEOUT  ?= 20m
FUZZTIME ?= 10m
# Go makes each text that reaches something new smaller, for up to a minute: a target
# would do little else.
FUZZ      = $(GO) test -run '^$$' -fuzzminimizetime 0s -fuzztime $(FUZZTIME) -fuzz
TARGETS  := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# The SIMD lanes need an experiment of the Go compiler. A Go that does not know
# it refuses to start, so ask before using it.
SIMD     := $(shell GOEXPERIMENT=simd $(GO) version >/dev/null 2>&1 && echo yes)

.PHONY: golden-gpu help build test test-simd heavy race fuzz bench check cross test-nocuda fmt vet samples

help:             ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' Makefile | awk -F': ' '{printf "  make %-10s %s\n", $$1, $$2}'

build:            ## the binary ./hyptx, with SIMD lanes where the compiler has them
	@if [ -n "$(SIMD)" ] && GOEXPERIMENT=simd $(GO) build -ldflags "$(LDFLAGS)" -o hyptx ./cmd/hyptx; then \
		echo "built ./hyptx with SIMD lanes"; \
	else \
		$(GO) build -ldflags "$(LDFLAGS)" -o hyptx ./cmd/hyptx && echo "built ./hyptx with portable lanes"; \
	fi

test:             ## all tests, with portable lanes
	$(GO) test -timeout $(TIMEOUT) $(PKGS)

test-simd:        ## the tests that the SIMD lanes can change
	@if [ -n "$(SIMD)" ]; then GOEXPERIMENT=simd $(GO) test -short -timeout $(TIMEOUT) ./emulator/... ./internal/oracle ./internal/traffic ./internal/adder ./analysis; \
	else echo "this Go has no GOEXPERIMENT=simd: nothing to test"; fi

heavy:            ## what takes too long for every run (all that tests of the grammar can try, whole networks, 10^9 lane operations)
	HYPTX_HEAVY=1 $(GO) test -run Reference -timeout $(TIMEOUT) ./parser
	HYPTX_HEAVY=1 $(GO) test -run 'VerifyNetworks|TrafficNetworks|HalfPrecision|TwoCompilationsPower|Interrupted' -timeout $(TIMEOUT) ./analysis ./cmd/hyptx
	HYPTX_HEAVY=1 $(GO) test -run 'MixedSpellings|ClusterSpellings|TensorProducts' -timeout 4h -v ./emulator

test-nocuda:      ## that a program without CUDA says so
	$(GO) test -tags nocuda ./internal/hardware/cuda/...

race:             ## the tests under the race detector
	$(GO) test -race -short -timeout 60m $(PKGS)

fuzz:             ## each fuzz target for FUZZTIME
	$(FUZZ) '^FuzzParse$$' ./parser
	$(FUZZ) '^FuzzReference$$' ./parser
	$(FUZZ) '^FuzzManifest$$' ./internal/manifest
	$(FUZZ) '^FuzzLower$$' ./ir
	$(FUZZ) '^FuzzDecode$$' ./ir/isa
	$(FUZZ) '^FuzzEmulator$$' ./internal/oracle
	$(FUZZ) '^FuzzSlices$$' ./internal/oracle
	$(FUZZ) '^FuzzVerify$$' ./analysis
	$(FUZZ) '^FuzzRun$$' ./analysis

bench:            ## the benchmarks of BENCHMARKS.md
	$(GO) test -run '^$$' -bench . -benchtime 2s -timeout 60m $(PKGS)

cross:            ## builds for all targets, with and without CUDA
	@set -e; for b in $(foreach t,$(TARGETS),$(t) $(t),nocuda); do t=$${b%,*}; tag=$${b#$$t}; echo "build $$t $${tag#,}"; \
		CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build -tags "$${tag#,}" -o /dev/null ./cmd/hyptx; done

# The networks whose goldens are kept, where they are present, small ones first.
NETWORKS ?= $(wildcard $(addprefix ../shared/cnn/,lenet5-sm_70 squeezenet-sm_80 resnet18-sm_70 resnet50-f16-sm_80))

golden-gpu: build ## lets this machine's GPU judge, for at most nine minutes, into testdata/golden
	./hyptx judge -o testdata/golden $(addprefix --networks ,$(NETWORKS))

fmt:              ## fails if gofmt would change a file
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi

vet:              ## go vet
	$(GO) vet $(PKGS)

samples:          ## writes the manifests of ptx-samples/networks again
	$(GO) run ./ptx-samples/networks/gen

check: fmt vet    ## what CI runs
	$(MAKE) build test test-simd test-nocuda
