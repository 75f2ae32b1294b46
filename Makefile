# `make` alone prints this file's targets. Thin on purpose: what takes more than a few lines lives in deploy/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

DEBUG := .build/debug/paystream
RELEASE := .build/release/paystream
# CI builds once, for the tests and for what people run (docs/decisions/0334-ci-builds-once.md).
CONFIGURATION ?= $(if $(filter true,$(CI)),release,debug)
SWIFT_FILES := Sources Tests docs/examples Package.swift
CORE := ^(Kernel|Http|Crypto|EventSourcing|Xml|Payments|Schedules|Settlement|SberPay|Ecommpay|Portmone|Dolyame|WorldlineDirect|Decisions)Tests\.
FILTER ?=
RUNS ?= 1000
SEED ?= 1
PROVIDER ?=
PAYMENTS ?=
TRACE ?=
BENCHES ?=

.PHONY: help bootstrap bootstrap-tests run test repeat test-core test-asan test-tsan test-pg18 api-fuzz crash storm golden docs cover lint format check bench allocations sim hostile clean

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1|\2/p' Makefile | column -t -s '|'

bootstrap: ## installs the Debian packages that lack; checks the toolchain
	@deploy/bootstrap.sh

bootstrap-tests:
	@deploy/bootstrap.sh --browser --clients --pooler

run: bootstrap ## release build, PostgreSQL, sandbox provider, daemon; one payment of every kind; serves until Ctrl-C
	deploy/build.sh -c release --product paystream
	exec $(RELEASE) demo

test: bootstrap-tests ## every suite against a real PostgreSQL; closes with 'N passed, N failed' (FILTER=… for some)
	PAYSTREAM_CRASH_POINTS=true deploy/build.sh -c $(CONFIGURATION) --build-tests
	PAYSTREAM_CONFIGURATION=$(CONFIGURATION) .build/$(CONFIGURATION)/paystream cluster --in-memory exec -- deploy/test.sh $(if $(FILTER),--filter '$(FILTER)')

repeat: bootstrap-tests ## suites again and again on a busy machine (SUITES='StoreTests|EngineTests' TIMES=50)
	deploy/build.sh --build-tests
	$(DEBUG) cluster exec -- deploy/repeat.sh '$(or $(SUITES),StoreTests|EngineTests)' $(or $(TIMES),50)

test-core: bootstrap ## the pure targets only: no database, no sockets
	deploy/build.sh --build-tests
	deploy/test.sh --swift-only --filter '$(CORE)'

test-asan: bootstrap-tests ## every Swift suite under the address sanitizer
	deploy/build.sh --build-tests --sanitize address --scratch-path .build-asan
	.build-asan/debug/paystream cluster exec -- deploy/test.sh --swift-only --sanitize address --scratch-path .build-asan

test-tsan: bootstrap-tests ## every Swift suite under the thread sanitizer
	deploy/build.sh --build-tests --sanitize thread --scratch-path .build-tsan
	.build-tsan/debug/paystream cluster exec -- deploy/test.sh --swift-only --sanitize thread --scratch-path .build-tsan

test-pg18: bootstrap-tests ## every suite against PostgreSQL 18
	deploy/build.sh --build-tests
	PAYSTREAM_PG_BIN="$$(deploy/postgres18.sh)" $(DEBUG) cluster exec -- deploy/test.sh

api-fuzz: bootstrap ## sends what nobody expects to every route of the OpenAPI document
	deploy/build.sh --build-tests
	$(DEBUG) cluster exec -- deploy/api-fuzz.sh

crash: bootstrap-tests ## kills the daemon at every passage of every point of the money path, in every flow; long
	PAYSTREAM_CRASH_POINTS=true deploy/build.sh -c $(CONFIGURATION) --build-tests
	PAYSTREAM_CONFIGURATION=$(CONFIGURATION) .build/$(CONFIGURATION)/paystream cluster exec -- deploy/crash.sh

storm: bootstrap-tests ## lets 20 000 occurrences fall due at once beside daemons that are killed; long
	deploy/build.sh --build-tests
	PAYSTREAM_STORM=20000 $(DEBUG) cluster exec -- deploy/test.sh --swift-only --filter DueStormTests

golden: ## writes the golden files again; read `git diff` afterwards
	UPDATE_GOLDEN=1 $(MAKE) test

docs: bootstrap ## writes the tables that pages take from the code; builds the modules' documentation, without a dead link
	deploy/build.sh --build-tests
	deploy/docs.sh

cover: bootstrap ## line coverage of the Swift suites
	deploy/build.sh --build-tests --enable-code-coverage --scratch-path .build-cover
	.build-cover/debug/paystream cluster exec -- deploy/test.sh --swift-only --enable-code-coverage --scratch-path .build-cover
	deploy/coverage.sh .build-cover

lint: bootstrap ## formatting rules and shell scripts; changes nothing
	swift format lint --strict --parallel --recursive $(SWIFT_FILES)
	shellcheck deploy/*.sh docs/examples/curl/*.sh .ci/run

format: ## formats every Swift file
	swift format --in-place --parallel --recursive $(SWIFT_FILES)

check: lint test ## what must pass before a change lands

bench: bootstrap ## benches in release, as JSON lines beside their raw baselines (BENCHES='accept soak' for some)
	for product in allocations slowflush paystream; do deploy/build.sh -c release --product $$product; done
	deploy/bench.sh $(BENCHES)

allocations: bootstrap ## counts what a payment costs: statements, flushes, switches, rows, allocations, against their budgets
	deploy/build.sh -c release --product allocations
	deploy/build.sh -c release --product paystream
	$(RELEASE) bench counts

sim: bootstrap ## plays simulated worlds, each from one seed (RUNS=… SEED=… PROVIDER=… PAYMENTS=… TRACE=1 WORLDS=…)
	deploy/build.sh -c release --product simulate
	.build/release/simulate --seed $(SEED) --runs $(RUNS) $(if $(PROVIDER),--provider $(PROVIDER)) \
	    $(if $(PAYMENTS),--payments $(PAYMENTS)) $(if $(TRACE),--trace) $(if $(SUBSCRIPTIONS),--subscriptions) $(if $(WORLDS),--worlds $(WORLDS))

hostile: bootstrap ## plays every case of the table of hostile providers (PROVIDER=… CASE=…)
	deploy/build.sh -c release --product simulate
	.build/release/simulate --table $(if $(PROVIDER),--provider $(PROVIDER)) $(if $(CASE),--case '$(CASE)')

clean: ## removes everything built and the development cluster
	for program in $(DEBUG) $(RELEASE); do \
	    if [ -x $$program ]; then $$program dev --stop; $$program cluster remove; break; fi; \
	done
	rm -rf .build .build-asan .build-tsan .build-cover .build-shop .paystream
