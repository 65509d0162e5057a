# The Proof of Concept Bakery. `make` alone lists what there is to do.
#
# `make run`, `make test` and `make race` need Go and make (`race` also a C
# compiler). The tools of `make check` are built once, at the versions below,
# into .cache/tools; they are no dependencies of the product.

SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

GO ?= go
# No version control stamp: a build must not depend on the checkout's owner.
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false)

LINT_VERSION      := v2.15.0
VULN_VERSION      := v1.9.0
RIE_VERSION       := v0.0.0-20261030222936-bef5c4ba774d
BENCHSTAT_VERSION := v0.0.0-20260908200009-22c9c6c9d4da

TOOLS     := $(CURDIR)/.cache/tools
LINT      := $(TOOLS)/golangci-lint-$(LINT_VERSION)/golangci-lint
VULN      := $(TOOLS)/govulncheck-$(VULN_VERSION)/govulncheck
RIE       := $(TOOLS)/rie-$(RIE_VERSION)/aws-lambda-rie
BENCHSTAT := $(TOOLS)/benchstat-$(BENCHSTAT_VERSION)/benchstat

# The tools in Python, for a local AWS: made anew when their list changes.
PYTHON    ?= python3
AWS_VENV  := $(CURDIR)/.cache/aws-venv
AWS_TOOLS := $(AWS_VENV)/of-$(shell cksum < scripts/requirements.txt | cut -d' ' -f1)

# What `make test TESTFLAGS=-json` and the like hand on to go test.
TESTFLAGS ?=
FUZZTIME  ?= 10s
LOADFLAGS ?=
SOAKTIME  ?= 10m

.PHONY: help run build test race check format vet lint vulnerabilities rules hibernation bench fuzz load sim soak mutants venv stack test-stack template rie coldstart deploy destroy clean
.PHONY: build-AdmitFunction build-ApiFunction build-HubFunction

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The recipe replaces its shell with the program, so that a signal to the
# process group reaches the program itself. Nothing is printed before the
# program's first line, but for the build's time where a person is watching.
run: ## build the shop and run it here (PORT, ADMIN_PORT, DATA_DIR)
	@began=$$(date +%s%N); $(GO) build -trimpath -o bin/pocbakery ./scripts/run || exit 1; \
	if [ -t 2 ]; then echo "built in $$(( ($$(date +%s%N) - began) / 1000000 )) ms" >&2; fi; \
	exec ./bin/pocbakery

build: ## build bin/pocbakery and every other package
	@$(GO) build -trimpath -o bin/pocbakery ./scripts/run
	@$(GO) build ./...

test: ## run every test
	@$(GO) test $(TESTFLAGS) ./...

# What needs the local AWS. `make test` runs it too where the tools are there.
race: ## run every test under the race detector
	@$(GO) test -race -timeout 40m $(TESTFLAGS) ./...

check: format vet lint vulnerabilities rules hibernation $(if $(wildcard $(AWS_TOOLS)),template) ## what CI checks besides the tests

format: ## every Go file is as gofmt writes it
	@bad=$$(git ls-files --cached --others --exclude-standard '*.go' 2>/dev/null || find . -name '*.go' -not -path './.*'); \
	bad=$$(for f in $$bad; do [ -e "$$f" ] && echo "$$f"; done | xargs -r gofmt -l); \
	if [ -n "$$bad" ]; then echo "not as gofmt writes it:"; echo "$$bad"; exit 1; fi

vet: ## go vet
	@$(GO) vet ./...

lint: $(LINT) ## golangci-lint, with the few linters of .golangci.yml
	@$(LINT) run ./...

vulnerabilities: $(VULN) ## govulncheck (needs vuln.go.dev, or GOVULNDB)
	@scripts/vulnerabilities $(VULN)

rules: ## who may import what, and the other rules of the tree
	@$(GO) test -count=1 ./pkg

hibernation: ## nothing that the hub's code can reach keeps a hub awake
	@$(GO) run ./scripts/hibernation

bench: $(BENCHSTAT) ## the budgets, measured: counts, load and pure benchmarks
	@BENCHSTAT=$(BENCHSTAT) scripts/benchmarks
	@$(GO) build -trimpath -o bin/pocbakery ./scripts/run
	@$(GO) run ./scripts/bench

fuzz: ## run each fuzz target for FUZZTIME (10s)
	@FUZZTIME=$(FUZZTIME) scripts/fuzz

load: ## 32 clients over HTTP against a server of its own (LOADFLAGS)
	@$(GO) build -trimpath -o bin/pocbakery ./scripts/run
	@$(GO) run ./scripts/load $(LOADFLAGS)

sim: bin/sim.test ## play simulated histories for a minute, faults and all
	@cd pkg/sim && ../../bin/sim.test -test.run '^TestSim$$' -test.timeout 10m -sim.for 60s

soak: bin/sim.test ## the same for SOAKTIME (10m)
	@cd pkg/sim && ../../bin/sim.test -test.run '^TestSim$$' -test.timeout 0 -sim.for $(SOAKTIME)

mutants: bin/sim.test ## plant each bug of pkg/sim/testdata/bugs: the simulator must find it
	@set -o pipefail; cd pkg/sim && ../../bin/sim.test -test.run '^TestEveryPlantedBugIsFound$$' -test.timeout 40m -sim.mutants | grep -v '^PASS$$'

.PHONY: bin/sim.test
bin/sim.test:
	@$(GO) test -c -o bin/sim.test ./pkg/sim

venv: $(AWS_TOOLS) ## install the local AWS and SAM's tools, once (needs python3 with venv)

# The recipe replaces its shell, as that of run does.
stack: $(AWS_TOOLS) ## deploy to a local AWS and stay there (STACK_PORT); no Docker, no account
	@$(GO) build -trimpath -o bin/stack ./scripts/stack && exec ./bin/stack

test-stack: $(AWS_TOOLS) ## the adapters and the deployed bakery, against a local AWS
	@POCB_REQUIRE_STACK=1 $(GO) test -count=1 -timeout 20m $(TESTFLAGS) ./scripts/stack ./scripts/ministack/... ./pkg/store/dynamo ./pkg/alarm/eventbridge

template: $(AWS_TOOLS) ## cfn-lint and sam validate --lint find nothing in the template
	@$(AWS_VENV)/bin/cfn-lint template.yaml infra/*.yaml
	@SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=eu-north-1 $(AWS_VENV)/bin/sam validate --lint --template template.yaml

rie: $(RIE) ## hand a function an event, without Docker (FUNCTION=api EVENT=events/http-page.json)
	@RIE=$(RIE) FUNCTION=$(FUNCTION) EVENT=$(EVENT) $(GO) run ./scripts/rie

coldstart: $(RIE) ## what a start of each function takes, against a bare one (STARTS)
	@RIE=$(RIE) $(GO) run ./scripts/coldstart

deploy: $(AWS_TOOLS) ## deploy to your AWS account; docs/deploy.md (PARAMETERS)
	@SAM=$(AWS_VENV)/bin/sam scripts/deploy

destroy: $(AWS_TOOLS) ## delete what was deployed, but the table and the secrets
	@SAM=$(AWS_VENV)/bin/sam scripts/destroy

# What `sam build` calls, a target a function, with ARTIFACTS_DIR set. ARCH is
# the template's Architecture.
ARCH ?= arm64
build-AdmitFunction: FUNCTION := admit
build-ApiFunction: FUNCTION := api
build-HubFunction: FUNCTION := hub
build-AdmitFunction build-ApiFunction build-HubFunction:
	@GOOS=linux GOARCH=$(ARCH:x86_64=amd64) CGO_ENABLED=0 $(GO) build -trimpath -tags lambda.norpc \
		-ldflags "-s -w" -o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(FUNCTION)

clean: ## remove what was built, but not the data
	@rm -rf bin .cache

$(LINT):
	@echo "building golangci-lint $(LINT_VERSION), once" >&2
	@GOBIN=$(@D) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

$(VULN):
	@echo "building govulncheck $(VULN_VERSION), once" >&2
	@GOBIN=$(@D) $(GO) install golang.org/x/vuln/cmd/govulncheck@$(VULN_VERSION)

$(RIE):
	@echo "building aws-lambda-rie, once" >&2
	@GOBIN=$(@D) $(GO) install github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@$(RIE_VERSION)

$(BENCHSTAT):
	@echo "building benchstat, once" >&2
	@GOBIN=$(@D) $(GO) install golang.org/x/perf/cmd/benchstat@$(BENCHSTAT_VERSION)

# What is half installed has no stamp and is made anew.
$(AWS_TOOLS): scripts/requirements.txt
	@echo "installing the local AWS and SAM's tools into .cache/aws-venv, once" >&2
	@rm -rf $(AWS_VENV)
	@$(PYTHON) -m venv $(AWS_VENV)
	@$(AWS_VENV)/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements.txt
	@touch $@
