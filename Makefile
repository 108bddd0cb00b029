# Every target sets up what it needs; `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

# Two states of node_modules, each with a stamp: what Lifeboat runs with, and all that work on it needs.
runnable := node_modules/.lifeboat-runnable
ready := node_modules/.lifeboat-ready
install := npm ci --loglevel=error --no-audit --no-fund --no-update-notifier
benches := $(patsubst bench/%.bench.ts,%,$(wildcard bench/*.bench.ts))

.PHONY: help demo demo-static-pods test test-real test-oldest lint format build image cluster manifests bench $(addprefix bench-,$(benches)) $(addprefix cluster-,kubelet helm descheduler)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@for name in $(benches); do printf '  make %-16s %s\n' "bench-$$name" "$$(sed -n '1s|^// ||p' bench/$$name.bench.ts)"; done

# The stamps go first: npm empties the folder, and may fail before it has filled it again.
$(runnable): package.json package-lock.json
	@echo 'setting up: npm ci --omit=dev'
	@rm -f $(runnable) $(ready)
	@$(install) --omit=dev
	@touch $@

$(ready): package.json package-lock.json
	@echo 'setting up: npm ci'
	@rm -f $(runnable) $(ready)
	@$(install) --include=dev
	@touch $(runnable) $@

demo: $(runnable) ## see what Lifeboat does, on this machine
	@bin/lifeboat demo

demo-static-pods: $(runnable) ## see static pods of a control plane leave and come back
	@bin/lifeboat demo --static-pods

test: $(ready) ## run everything that Node alone can run: unit tests, and stories on the embedded cluster
	@node test/run/all.ts $(T)

test-real: $(ready) ## run everything on a real Kubernetes, which the first run builds; needs Go
	@node test/run/real.ts $(T)

test-oldest: $(ready) ## run on Kubernetes 1.32 what a version may lack something for; builds it too, needs Go
	@node test/run/oldest.ts $(T)

lint: $(ready) ## check types, style, import boundaries, formatting and generated files
	@echo 'types'; tsc
	@echo 'lint'; oxlint --quiet
	@echo 'format'; oxfmt --check
	@echo 'boundaries'; vitest run --project tidy --reporter=dot
	@echo 'generated files'; node scripts/generate-manifests.ts --check && node scripts/generate-api-reference.ts --check && node scripts/draw-drain.ts --check

format: $(ready) ## format the sources
	@oxfmt

manifests: $(ready) ## generate deploy/, docs/api.md and docs/images/ from src; needs Go, for Helm
	@node scripts/generate-manifests.ts
	@node scripts/generate-api-reference.ts
	@node scripts/draw-drain.ts
	@node scripts/render-chart.ts

build: $(ready) ## bundle the release into dist/
	@node scripts/bundle.ts

image: build ## build the container images for amd64 and arm64 into dist/, without a container engine; ARCH=own: for this machine
	@node scripts/build-image.ts --architecture $(or $(ARCH),all)

cluster: $(ready) ## run a real Kubernetes on this machine until Ctrl-C
	@exec node test/cluster/main.ts

# Parts of the cluster recipe that only some tests ask for.
cluster-kubelet cluster-helm cluster-descheduler: cluster-%: $(ready)
	@node test/cluster/build.ts $*

bench: $(addprefix bench-,$(benches)) ## run every benchmark

# STRICT=1 makes a figure that misses what is wanted a failure.
$(addprefix bench-,$(benches)): bench-%: $(ready)
	@node bench/$*.bench.ts $(if $(STRICT),--strict)
