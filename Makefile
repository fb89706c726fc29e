# Riposte. `make help` lists the targets. A configuration is a folder (B) and flags (CC, OPT, SAN):
# `make asan` is `make check-all B=build/asan SAN=-fsanitize=address,undefined`, and so on.
B       ?= build
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share/riposte
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
MINUTES ?= 10
SEED    ?= 1
LISTS   ?= 100000
SHARDS  ?= $(JOBS)

ifeq ($(origin CC),default)
CC      := gcc
endif
X86     := $(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null))
AR       = $(shell $(CC) -print-prog-name=ar)
STRIP    = $(shell $(CC) -print-prog-name=strip)
OBJCOPY  = $(shell $(CC) -print-prog-name=objcopy)
CLANG   := $(shell command -v clang || command -v clang-14)
VERSION := $(shell sed -n 's/^\#define RP_VERSION "\(.*\)"/\1/p' include/riposte/riposte.h)
SONAME  := libriposte.so.$(firstword $(subst ., ,$(VERSION)))
JOBS    := $(shell nproc 2>/dev/null || echo 2)

# _FORTIFY_SOURCE needs an optimiser and hides what the sanitizers would see.
OPT     ?= -O2 -g
# Sanitized code confuses gcc's guesses about lengths and values; without an optimiser some of its
# intrinsics are macros that change signs. The plain build heeds all.
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
           $(if $(SAN),$(if $(findstring clang,$(CC)),,-Wno-format-truncation -Wno-maybe-uninitialized)) \
           $(if $(filter -O0,$(OPT)),-Wno-sign-conversion)
HARDEN  := -fstack-protector-strong -fstack-clash-protection \
           $(if $(X86),-fcf-protection) \
           $(if $(SAN)$(filter -O0,$(OPT)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# Names outside tools/riposte.map stay inside the library without being hidden from the tests.
CFLAGS  += -std=c11 -D_GNU_SOURCE $(OPT) $(WARN) $(HARDEN) -ffp-contract=off -fPIC \
           -fno-semantic-interposition -ffile-prefix-map=$(CURDIR)=. -pthread $(SAN)
CPPFLAGS += -Iinclude -Isrc
LDFLAGS += -Wl,-z,relro,-z,now -Wl,--as-needed
# COVERAGE: what child processes run counts too.
GCOV    := $(if $(COVERAGE),$B/tests/gcov_children.o)
CPPFLAGS += $(if $(COVERAGE),-DRP_COVERAGE)
LIBS    := $(GCOV) -lzstd -lz -lxxhash -lutf8proc -lstemmer -lm -pthread

LIB_SRC   := $(sort $(filter-out src/cli/% src/lab/% src/serve/% $(if $(X86),,%_avx2.c %_avx512.c),$(wildcard src/*/*.c src/*/*/*.c src/*/*/*/*.c)))
# What measures is linked into the program and the tests, and is no part of the library.
LAB_SRC   := $(sort $(wildcard src/lab/*.c src/lab/*/*.c))
# What serves HTTP is linked into the program alone, with the library that it stands on.
SERVE_SRC := $(sort $(wildcard src/serve/*.c))
SERVE_LIBS := -lmicrohttpd
CLI_SRC   := $(sort $(wildcard src/cli/*.c))
TEST_SRC  := $(sort $(wildcard tests/*/test_*.c tests/*/*/test_*.c tests/*/*/*/test_*.c))
# Every other .c below tests/ is help that all tests may link, except what is loaded into others.
PRELOAD_SRC := $(sort $(wildcard tests/*/preload_*.c))
HELP_SRC  := $(sort $(filter-out $(TEST_SRC) $(PRELOAD_SRC),$(wildcard tests/*/*.c tests/*/*/*.c)))
FUZZ_SRC  := $(sort $(wildcard fuzz/fuzz_*.c))
BENCH_SRC := $(sort $(wildcard bench/bench_*.c))
EXAMPLE_SRC := $(sort $(wildcard examples/*.c))
SCRIPTS   := $(sort $(wildcard tests/*/test_*.sh))

# Kernels are compiled for the emulated device always, once more for its strict mode, which is part of the tests
# (tests/strict), and for a real device where nvcc is, once for all builds. GPU=0 compiles none.
GPU      ?= 1
KERNELS  := $(sort $(wildcard src/backend/gpu/kernels/*/*.cu))
LAB_KERNELS := $(sort $(wildcard src/lab/gpu/kernels/*.cu))
NVCC     := $(if $(filter-out 0,$(GPU)),$(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc)))
fatbins   = $(if $(NVCC),$(patsubst %.cu,build/fatbin/%.fatbin,$(notdir $(1))))
FATBINS  := $(call fatbins,$(KERNELS) $(LAB_KERNELS))
emulated  = $(if $(filter-out 0,$(GPU)),$(patsubst %.cu,$B/%.o,$(1)))
KERNEL_OBJ := $(call emulated,$(KERNELS)) $B/src/backend/gpu/kernels/images.o
LAB_KERNEL_OBJ := $(call emulated,$(LAB_KERNELS)) $B/src/lab/gpu/kernels/images.o

LIB_OBJ  := $(LIB_SRC:%.c=$B/%.o) $B/src/backend/gpu/device/fiber_switch.o $(KERNEL_OBJ)
LAB_OBJ  := $(LAB_SRC:%.c=$B/%.o) $(LAB_KERNEL_OBJ)
# The page's files are part of the program.
WEB_FILES := $(sort $(wildcard web/*.*))
SERVE_OBJ := $(SERVE_SRC:%.c=$B/%.o) $B/src/serve/web.o
CLI_OBJ  := $(CLI_SRC:%.c=$B/%.o)
HELP_OBJ := $(HELP_SRC:%.c=$B/%.o)
STRICT_OBJ := $(patsubst src/%.cu,$B/tests/strict/%.o,$(KERNELS) $(LAB_KERNELS))
TESTS    := $(TEST_SRC:%.c=$B/%)
PRELOADS := $(PRELOAD_SRC:%.c=$B/%.so)
FUZZERS  := $(FUZZ_SRC:%.c=$B/%)
BENCHES  := $(BENCH_SRC:%.c=$B/%)
EXAMPLES := $(EXAMPLE_SRC:%.c=$B/%)
PROGRAM  := $(if $(CLI_SRC),$B/riposte)

# `make V=1` shows the commands.
Q = $(if $(V),,@echo '  $(1)  $@';)
again = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
IN_SRC = src/* src/*/* src/*/*/* src/*/*/*/* src/*/*/*/*/*
FORMAT_FILES = $(wildcard $(foreach d,$(IN_SRC),$d/*.[ch] $d/*.cu $d/*.cuh) include/riposte/*.h fuzz/*.[ch] bench/*.c \
                 examples/*.c tools/*.c tests/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch])

##@ Build
all: $(PROGRAM) $B/libriposte.a ## the program and the library (the default)

$B/riposte: $(CLI_OBJ) $B/libserve.a $B/liblab.a $B/libriposte.a $(GCOV)
	$(call Q,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pie $(CLI_OBJ) $B/libserve.a $B/liblab.a $B/libriposte.a -o $@ $(SERVE_LIBS) $(LIBS)

$B/libriposte.a: $(LIB_OBJ)
	$(call Q,AR  )rm -f $@ && $(AR) rcs $@ $^

$B/liblab.a: $(LAB_OBJ)
	$(call Q,AR  )rm -f $@ && $(AR) rcs $@ $^

$B/libserve.a: $(SERVE_OBJ)
	$(call Q,AR  )rm -f $@ && $(AR) rcs $@ $^

$B/libriposte.so.$(VERSION): $(LIB_OBJ) tools/riposte.map $(GCOV)
	$(call Q,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs \
	    -Wl,--version-script=tools/riposte.map $(LIB_OBJ) -o $@ $(LIBS)

# What judges the memory model shares no code with it.
$B/dram_check: tools/dram_check.c
	$(call Q,CC  )$(CC) -std=c11 -O2 -Wall -Wextra -Werror $< -o $@

# In a wheel the libraries that it is linked with lie beside it.
$B/wheel/libriposte.so: $(LIB_OBJ) tools/riposte.map
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs -Wl,-rpath,'$$ORIGIN' \
	    -Wl,--version-script=tools/riposte.map $(LIB_OBJ) -o $@ $(LIBS)

# The same flags for objects, call graphs and clang-tidy's runs.
AVX2    := -mavx2 -mbmi -mbmi2
AVX512  := $(AVX2) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mavx512vbmi2 -mavx512vnni
# SIMDE: their intrinsics become portable C, and every processor counts as one that has them.
ifdef SIMDE
AVX2    := -Itests/simde -Wno-psabi
AVX512  := $(AVX2)
$B/src/base/cpu.o: CPPFLAGS += -DRP_CPU_EMULATED
endif
$B/%_avx2.o $B/%_avx2.ci $B/%_avx2.tidy: CFLAGS += $(AVX2)
$B/%_avx512.o $B/%_avx512.ci $B/%_avx512.tidy: CFLAGS += $(AVX512)
# gcc clears and copies structs by instructions that take 30 clocks to begin: where queries go by, moves are better.
STRUCTS := unrolled_loop:256:noalign,libcall:-1:noalign
MOVES   := $(if $(X86),-mmemset-strategy=$(STRUCTS) -mmemcpy-strategy=$(STRUCTS))
MOVES   := $(if $(MOVES),$(shell $(CC) $(MOVES) -E -x c /dev/null >/dev/null 2>&1 && echo '$(MOVES)'))
$(patsubst %,$B/src/%.o,backend/cpu/% base/% codec/% engine/% index/% lab/% plan/% rank/% text/%): \
    CFLAGS += $(MOVES)
# The yardstick of intersections: its speed must not depend on where it comes to lie.
$B/src/backend/cpu/probe_merge.o: CFLAGS += -falign-loops=64
$B/src/cli/bundled.%: CPPFLAGS += -DRP_DATADIR='"$(DATADIR)"'
$B/tests/%.o: CPPFLAGS += -Itests
# These change with GPU=.
$B/src/backend/gpu/device/kernel_table.o $B/src/lab/gpu/lab_kernels.o: CPPFLAGS += $(if $(filter 0,$(GPU)),-DRP_NO_KERNELS)
$B/src/backend/gpu/device/kernel_table.o $B/src/lab/gpu/lab_kernels.o $B/src/backend/gpu/kernels/images.S \
    $B/src/lab/gpu/kernels/images.S: $B/gpu-is-$(if $(filter 0,$(GPU)),off,on)
$B/gpu-is-on $B/gpu-is-off: | $B/packages-are-there
	@rm -f $B/gpu-is-on $B/gpu-is-off && touch $@
# A build says which packages it lacks before the compiler says which headers.
$B/packages-are-there: packages.txt tools/check_packages
	@tools/check_packages packages.txt '$(CC)' $(if $(filter 0,$(GPU)),,'$(CXX)') && mkdir -p $(@D) && touch $@
$B/tests/gcov_children.o: CFLAGS := $(filter-out --coverage,$(CFLAGS))

$B/%.o: %.c | $B/packages-are-there
	@mkdir -p $(@D)
	$(call Q,CC  )$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$B/%.o: %.S | $B/packages-are-there
	@mkdir -p $(@D)
	$(call Q,AS  )$(CC) $(CPPFLAGS) $(filter-out -std=c11,$(CFLAGS)) -MMD -MP -c $< -o $@

# Threads of a block are fibers of one thread, whose stacks the thread sanitizer does not follow.
$(filter-out %/images.o,$(KERNEL_OBJ) $(LAB_KERNEL_OBJ)) $(STRICT_OBJ) $B/src/backend/gpu/device/fiber.o $(patsubst %.c,$B/%.o,$(wildcard tests/strict/strict*.c)): \
    override SAN := $(filter-out -fsanitize=thread,$(SAN))

CXX      = $(subst gcc,g++,$(subst clang,clang++,$(if $(filter cc,$(CC)),gcc,$(CC))))
# (gcc's analyzer knows C only.)
CXXFLAGS = -std=c++17 $(filter-out -fanalyzer,$(OPT)) -Wall -Wextra -Wshadow -Wno-unknown-pragmas -Werror $(HARDEN) \
           -fno-exceptions -fno-rtti -ffp-contract=off -fPIC -ffile-prefix-map=$(CURDIR)=. $(SAN) \
           $(if $(SAN),$(if $(findstring clang,$(CXX)),-fno-sanitize=function)) # whose handler is in C++'s runtime
$(filter-out %/images.o,$(KERNEL_OBJ) $(LAB_KERNEL_OBJ)): $B/%.o: %.cu | $B/packages-are-there
	@mkdir -p $(@D)
	$(call Q,CXX )$(CXX) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -x c++ -c $< -o $@

# The instrumentation of the thread sanitizer without its runtime: tests/strict answers its calls, under other names.
# Accesses stay as wide as the source has them.
STRICT_FLAGS = -O1 -g1 $(if $(findstring clang,$(CXX)),,-fno-tree-sra -fno-ipa-sra -fno-store-merging) -fsanitize=thread \
               -DRP_PRIM_STRICT
$(STRICT_OBJ): $B/tests/strict/%.o: src/%.cu tests/strict/tsan_names.txt
	@mkdir -p $(@D)
	$(call Q,CXX )$(CXX) $(CPPFLAGS) $(filter-out -fsanitize=% --coverage -fprofile-update=%,$(CXXFLAGS)) $(STRICT_FLAGS) \
	    -MMD -MP -x c++ -c $< -o $@ && $(OBJCOPY) --redefine-syms=tests/strict/tsan_names.txt $@

NVCCFLAGS = -std=c++17 -O3 --fmad=false --prec-div=true --prec-sqrt=true --ftz=false \
            -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=compute_80
# iiu_NAME.cu includes NAME.cu.
$(foreach k,$(filter src/backend/gpu/kernels/iiu/%,$(KERNELS)),$(eval $(call fatbins,$k) $(patsubst %.fatbin,%.usage,$(call fatbins,$k)): \
    $(wildcard $(patsubst iiu_%,src/backend/gpu/kernels/*/%,$(notdir $k)))))
# stored_NAME.cu and count_NAME.cu too.
$(foreach k,$(filter %_or_maxscore.cu,$(KERNELS)),$(eval $(call fatbins,$k) $(patsubst %.fatbin,%.usage,$(call fatbins,$k)): \
    src/backend/gpu/kernels/fused/or_maxscore.cu))
# What ptxas says of registers and spills stays beside each image, for kernel-check.
$(foreach k,$(KERNELS) $(LAB_KERNELS),$(eval $(call fatbins,$k) $(patsubst %.fatbin,%.usage,$(call fatbins,$k)): $k))
build/fatbin/%.fatbin build/fatbin/%.usage: \
    $(wildcard $(addprefix src/,backend/gpu/kernels/*.h backend/gpu/kernels/prim/*.cuh backend/gpu/kernels/prim/*/*.cuh backend/gpu/kernels/fused/*.cuh backend/gpu/kernels/transcode/*.cuh lab/gpu/kernels/*.cuh rank/iiu_score.h))
	@mkdir -p $(@D)
	$(call Q,NVCC)$(NVCC) -Isrc $(NVCCFLAGS) -Xptxas -v -fatbin $(filter %/$*.cu,$^) -o build/fatbin/$*.fatbin \
	    2>build/fatbin/$*.usage; \
	    status=$$?; sed '/^ptxas info/d; / bytes stack frame,/d' build/fatbin/$*.usage >&2; exit $$status

# Tables of their names and bytes, which end with zeros.
$B/src/backend/gpu/kernels/images.S: $(call fatbins,$(KERNELS)) tools/kernel_images
	@mkdir -p $(@D)
	$(call Q,GEN )tools/kernel_images rp__kernel_table_images $(filter %.fatbin,$^) > $@
$B/src/lab/gpu/kernels/images.S: $(call fatbins,$(LAB_KERNELS)) tools/kernel_images
	@mkdir -p $(@D)
	$(call Q,GEN )tools/kernel_images rp__lab_kernels_images $(filter %.fatbin,$^) > $@
$B/src/serve/web.S: $(WEB_FILES) tools/kernel_images
	@mkdir -p $(@D)
	$(call Q,GEN )tools/kernel_images rp__page_files $(WEB_FILES) > $@
$B/src/serve/web.o: $B/src/serve/web.S $(WEB_FILES)
	$(call Q,AS  )$(CC) $(filter-out -std=c11,$(CFLAGS)) -c $< -o $@
$(filter %/images.o,$(KERNEL_OBJ) $(LAB_KERNEL_OBJ)): %.o: %.S $(FATBINS)
	$(call Q,AS  )$(CC) $(filter-out -std=c11,$(CFLAGS)) -c $< -o $@

$B/libtests.a: $(HELP_OBJ)
	@mkdir -p $(@D)
	$(call Q,AR  )rm -f $@ && $(AR) rcs $@ $^

# Hundreds of programs hold the whole library: without what debuggers read they take a third of the room, and are linked
# in less time. `make TEST_LDFLAGS=` keeps it.
TEST_LDFLAGS ?= $(if $(SAN)$(COVERAGE),,-Wl,-S)
$B/tests/%: tests/%.c $B/tests/filter.o $(GCOV) $B/libriposte.a $B/liblab.a $B/libtests.a
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP $(LDFLAGS) $(TEST_LDFLAGS) $< $B/tests/filter.o $B/libtests.a \
	    $B/liblab.a $B/libriposte.a -o $@ $(LIBS) -lcmocka -lunistring

$B/tests/unit/serve/test_%: tests/unit/serve/test_%.c $B/tests/filter.o $(GCOV) $B/libriposte.a $B/libserve.a $B/libtests.a
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP $(LDFLAGS) $(TEST_LDFLAGS) $< $B/tests/filter.o $B/libtests.a \
	    $B/libserve.a $B/libriposte.a -o $@ $(SERVE_LIBS) $(LIBS) -lcmocka

$B/tests/parity/test_iiu_mismatch: private LDFLAGS += -Wl,--wrap=rp__machine_results

$B/tests/strict/test_%: tests/strict/test_%.c $B/libriposte.a $B/liblab.a $B/libtests.a $(STRICT_OBJ)
	$(call Q,LINK)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP $(LDFLAGS) $(TEST_LDFLAGS) $< $(STRICT_OBJ) $B/libtests.a $B/liblab.a \
	    $B/libriposte.a -o $@ $(LIBS) -lcmocka -lunistring

$B/tests/%.so: tests/%.c
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP -shared $< -o $@ -ldl

$B/fuzz/fuzz_settings $B/fuzz_settings: src/cli/settings.c
$B/fuzz/%: fuzz/%.c fuzz/replay_main.c $(GCOV) $B/libriposte.a $B/liblab.a $B/libserve.a $B/libtests.a
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP $(LDFLAGS) $(filter %.c,$^) $B/libtests.a \
	    $B/libserve.a $B/liblab.a $B/libriposte.a -o $@ $(SERVE_LIBS) $(LIBS)

$B/bench/%: bench/%.c $B/libriposte.a $(GCOV)
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) $< $B/libriposte.a -o $@ $(LIBS)

$B/bench/serve_floor: private LIBS += $(SERVE_LIBS)

serve-bundle: $B/riposte $B/bench/serve_floor ## what bench/serve_cost.sh runs, in B/serve-bundle, to be copied to another machine
	@tools/bundle $B/serve-bundle $^ && strip $B/serve-bundle/bin/*

$B/examples/%: examples/%.c $B/libriposte.a $(GCOV)
	@mkdir -p $(@D)
	$(call Q,LINK)$(CC) -Iinclude $(CFLAGS) -MMD -MP $(LDFLAGS) $< $B/libriposte.a -o $@ $(LIBS)

tests: $(TESTS) $(PRELOADS) ## all test programs, without running them
examples: $(EXAMPLES)
so: $B/libriposte.so.$(VERSION)
fuzz-replay-build: $(FUZZERS)
unsanitized: all so tests examples $(BENCHES)
everything: unsanitized fuzz-replay-build

##@ Try it
demo: deps ## index the bundled collection, ask it something, and serve it as a page (DEMO_SECONDS=N: for so long)
	@+$(again) all >&2
	@tools/demo $B/riposte $B/demo

##@ Test
# A suite is a list for tools/run_tests: programs, scripts, and named checks.
RUN = B=$B CC='$(CC)' MAKE='$(MAKE)' SEED=$(SEED) tools/run_tests $B
# Lines are all that its reports need.
ASAN = B=$B/asan SAN=-fsanitize=address,undefined OPT='-O1 -g1'
SYSROOT = $B/aarch64/sysroot
CHECKS = layers words recursion format-check kernel-check

test: deps-test ## everything that runs in minutes; ends with a line "N passed, N failed"
	$(if $(filter 0,$(GPU)),$(error the tests need the kernels: GPU=0 is for builds))
	@+$(again) unsanitized
	@+$(again) $(ASAN) fuzz-replay-build
	@+$(RUN) $(TESTS) $(SCRIPTS) $(FUZZ_SRC:%.c=$B/asan/%) $(CHECKS)

check-all: everything ## the suite in one configuration (B, CC, OPT, SAN), no checks of sources or install
	@+$(RUN) $(TESTS) $(filter-out tests/tools/% tests/install/%,$(SCRIPTS)) $(FUZZERS)

test-all: deps-all ## all of test, then asan, tsan, analyze, tidy, simde, coverage, sim-compilers and aarch64
	@+RIPOSTE_THOROUGH=1 TIMEOUT=3600 $(again) test
	@+for t in asan threaded tsan analyze tidy simde coverage sim-compilers aarch64; do echo "== make $$t"; $(again) $$t || exit 1; done

unit: tests ## unit tests only
	@+$(RUN) $(filter $B/tests/unit/%,$(TESTS))

parity: tests ## parity tests: every row gives the same answer
	@+$(RUN) $(filter $B/tests/parity/%,$(TESTS))

unit-parity: tests
	@+$(RUN) $(filter $B/tests/unit/% $B/tests/parity/%,$(TESTS))

fault: all tests ## fault tests: kills, lost writes, failing calls, no memory, damage
	@+$(RUN) $(filter $B/tests/fault/%,$(TESTS)) $(filter tests/fault/%,$(SCRIPTS))

# These have no harness that could miss a fault: each assertion is on both sides of a limit, or a sanitizer's.
UNPLANTED = $(addprefix $B/tests/fault/test_,damaged_lists input_bombs limits)
test-the-tests: all tests ## do the fault tests catch the faults planted for them?
	@echo 'without planted faults, on purpose: $(UNPLANTED:$B/%=%)'
	@+RIPOSTE_TESTS='*planted*' $(RUN) $(filter-out $(UNPLANTED),$(filter $B/tests/fault/% $B/tests/strict/%,$(TESTS)))

cli: all examples ## golden tests of the program
	@+$(RUN) $(filter tests/cli/%,$(SCRIPTS))

soak: ## fault tests for MINUTES= with SEED=
	@+$(again) all tests
	@+SOAK_MINUTES=$(MINUTES) TIMEOUT=$$(($(MINUTES) * 60 + 1800)) $(RUN) \
	    $(filter $B/tests/fault/%,$(TESTS)) $(filter tests/fault/%,$(SCRIPTS))

PROOFS = $B/tests/parity/test_codecs_many $B/tests/parity/test_codecs_bytes
proof: $(PROOFS) ## LISTS= random lists and all strings of 3 bytes through every codec, in SHARDS= processes
	@RIPOSTE_THOROUGH=1 LISTS=$(LISTS) SEED=$(SEED) tools/run_shards $(SHARDS) $^

# A machine with a GPU may lack what a build needs: `make gpu-bundle` here, carry build/gpu there, run gpu_test.
GPU_TESTS = $(addprefix $B/tests/,parity/test_gpu_cases parity/test_processors fault/test_gpu_faults fault/test_gpu_child)
gpu-bundle: ## what gpu-test runs, with the libraries it needs, in build/gpu
	@+$(again) all $(GPU_TESTS) $B/bench/gpu_floor >&2
	@tools/gpu_bundle $B/gpu $B/riposte $(GPU_TESTS) $B/bench/gpu_floor
gpu-test: gpu-bundle ## check and measure kernels on this machine's GPU (8 minutes)
	@$B/gpu/gpu_test
asan: ## the suite under the address and undefined-behaviour sanitizers
	@+TIMEOUT=$${TIMEOUT:-3600} $(again) check-all $(ASAN)

# Of programs, those that start threads: what the sanitizer looks for cannot happen in the others.
tsan: ## the programs and scripts that have threads under the thread sanitizer
	@+TIMEOUT=$${TIMEOUT:-3600} $(again) check-threaded B=$B/tsan SAN=-fsanitize=thread OPT='-O1 -g'

check-threaded: everything ## the programs of tests/threaded.txt and the scripts in one configuration, as check-all
	@+$(RUN) $(addprefix $B/,$(shell cat tests/threaded.txt)) $(filter-out tests/tools/% tests/install/%,$(SCRIPTS))

threaded: everything ## is every program that starts a thread in tests/threaded.txt? UPDATE=1 writes it
	@+UPDATE=$(UPDATE) tools/threaded_tests $B $(TESTS)

# (Kernels of a GPU have no such rows.)
SIMDE_TESTS = $(filter-out $B/tests/parity/test_gpu_% %/test_step,$(filter $B/tests/unit/codec/% $B/tests/parity/%,$(TESTS))) \
    $(addprefix $B/tests/unit/backend/,test_bitset test_probe test_score)
simde: ## codecs and parity with AVX2 and AVX-512 as portable C (libsimde-dev), on any x86-64
	@+if [ -z '$(X86)' ]; then echo 'skip simde: not an x86-64'; \
	elif ! [ -e /usr/include/simde/x86/avx512.h ]; then echo 'skip simde: no libsimde-dev'; \
	else TIMEOUT=$${TIMEOUT:-3600} $(again) simde-tests B=$B/simde SIMDE=1; fi

simde-tests: $(SIMDE_TESTS)
	@+$(RUN) $(SIMDE_TESTS)

# Counts of threads that run the same line at once may be lost, which takes a sixth of the time of exact ones: whether a
# line ran is seen all the same.
coverage: ## lines and branches of src that the suite runs; fails where codec, store, index, rank or plan fall short
	@find $B/coverage -name '*.gcda' -delete 2>/dev/null || :
	@+TIMEOUT=$${TIMEOUT:-3600} $(again) check-all B=$B/coverage COVERAGE=1 OPT='-Og -g --coverage -fprofile-update=single'
	@tools/coverage $B/coverage

sim-compilers: $B/libriposte.a ## golden cycles of the simulator, by gcc and clang, with -O0 and -O3
	@LIBS='$(LIBS)' tools/sim_compilers $B

aarch64: ## unit and parity tests, built for aarch64, under qemu-user
	@if tools/install_packages packages-aarch64.txt && tools/fill_sysroot arm64 $(SYSROOT) packages.txt packages-test.txt; \
	then RUNNER='qemu-aarch64 -L $(SYSROOT)' TIMEOUT=$${TIMEOUT:-3600} $(again) unit-parity \
	    B=$B/aarch64 CC='aarch64-linux-gnu-gcc --sysroot=$(CURDIR)/$(SYSROOT)'; \
	else echo 'skip aarch64: no cross compiler, qemu-user or libraries'; fi

##@ Fuzz
fuzz-replay: ## run every kept input through its target, sanitized
	@+$(again) $(ASAN) fuzz-replay-build
	@+$(RUN) $(FUZZ_SRC:%.c=$B/asan/%)

fuzz: ## build the libFuzzer targets (needs clang)
	@test -n "$(CLANG)" || { echo "fuzz: no clang; run 'make deps-all'" >&2; exit 1; }
	@+$(again) fuzz-clang CC=$(CLANG) B=$B/libfuzzer OPT='-O1 -g' \
	    SAN=-fsanitize=fuzzer-no-link,address,undefined

fuzz-clang: $B/libriposte.a $B/liblab.a $B/libserve.a $(FUZZ_SRC:fuzz/%.c=$B/%)
$B/fuzz_%: fuzz/fuzz_%.c $B/libriposte.a $B/liblab.a $B/libserve.a $B/libtests.a
	$(call Q,LINK)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP -fsanitize=fuzzer $(LDFLAGS) $(filter %.c,$^) $B/libtests.a \
	    $B/libserve.a $B/liblab.a $B/libriposte.a -o $@ $(SERVE_LIBS) $(LIBS)

bundle: fuzz $(PROOFS) ## what proof and fuzz-run run, in B/bundle, to be copied to a larger machine
	@tools/bundle $B/bundle $(PROOFS) $(FUZZ_SRC:fuzz/%.c=$B/libfuzzer/%)

fuzz-run: fuzz ## fuzz for MINUTES= in all, all targets or FUZZ=; KEEP=1 adds new inputs to the corpus
	@tools/fuzz_run $B/libfuzzer $(MINUTES) $(or $(FUZZ),$(FUZZ_SRC:fuzz/fuzz_%.c=%))

##@ Check the sources
layers: all so ## who may include what, and what is defined where
	@tools/check_layers . $B

words: ## the words of the field in names and prose (tools/words.txt)
	@tools/check_words

recursion: ## the call graph of src has no cycle
	@+$(again) graph B=$B/graph OPT=-O0
	@for f in $$(cd $B/graph && find src -name '*.ci'); do [ -e $${f%.ci}.c ] || rm -f $B/graph/$$f; done # moved since
	@tools/check_recursion tools/indirect_calls.txt $B/graph

graph: $(LIB_SRC:%.c=$B/%.ci) $(LAB_SRC:%.c=$B/%.ci) $(SERVE_SRC:%.c=$B/%.ci) $(CLI_SRC:%.c=$B/%.ci)
$B/%.ci: %.c
	@mkdir -p $(@D)
	$(call Q,CI  )gcc $(CPPFLAGS) $(CFLAGS) -ffunction-sections -fcallgraph-info -MMD -MP -MT $@ -c $< -o $(@:.ci=.o)

format: ## let clang-format rewrite sources, headers and kernels
	clang-format -i $(FORMAT_FILES)

format-check: ## are sources, headers and kernels as clang-format would write them?
	@command -v clang-format >/dev/null || { echo "skip format-check: no clang-format"; exit 0; }; \
	echo $(FORMAT_FILES) | xargs -n 300 clang-format --dry-run -Werror || { echo "run 'make format'"; exit 1; }

kernel-check: $(FATBINS) $(FATBINS:.fatbin=.usage) ## is the kernels' machine code that of bench/kernels.lock? UPDATE=1 writes it
	@UPDATE=$(UPDATE) tools/kernel_check bench/kernels.lock $(FATBINS) || test $$? -eq 77

analyze: ## gcc -fanalyzer over src
	@+$(again) all B=$B/analyze OPT='-O1 -g -fanalyzer'

tidy: $(LIB_SRC:%.c=$B/%.tidy) $(LAB_SRC:%.c=$B/%.tidy) $(SERVE_SRC:%.c=$B/%.tidy) $(CLI_SRC:%.c=$B/%.tidy) ## clang-tidy over src
$B/%.tidy: %.c
	@mkdir -p $(@D)
	$(call Q,TIDY)clang-tidy --quiet $< -- $(CPPFLAGS) $(filter-out -fcf% -fstack-clash%,$(CFLAGS)) \
	    2>$@.log || { cat $@.log; exit 1; } && touch $@

##@ Measure
CARD_BENCHES := bench/batch_whole.sh bench/gpu_compare.sh bench/policies_h200.sh # which are told where a bundle is
bench: all $(BENCHES) $B/bench/serve_floor ## measure against peers; each number comes with its machine, data and command
	@for b in $B/bench/bench_sim $(filter-out $(CARD_BENCHES),$(wildcard bench/*.sh)); do $$b || exit 1; done # which run the other programs

bench-check: all ## instructions that searches, simulated memory and the simulated machine take: fails where they rose by over 3%; UPDATE=1 keeps new counts
	@CC='$(CC)' tools/bench_check $B $(if $(UPDATE),update)

##@ Install
MAN := share/man/man1/riposte.1
BASH_COMPLETION := share/bash-completion/completions/riposte
ZSH_COMPLETION  := share/zsh/vendor-completions/_riposte
FISH_COMPLETION := share/fish/vendor_completions.d/riposte.fish
FROM_PROGRAM := $(MAN) $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)

install: all so ## into DESTDIR and PREFIX: library, headers, program, manual, completions, data
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig \
	    $(DESTDIR)$(PREFIX)/include/riposte $(DESTDIR)$(DATADIR)/configs $(DESTDIR)$(PYTHONDIR) \
	    $(addprefix $(DESTDIR)$(PREFIX)/,$(dir $(FROM_PROGRAM)))
	install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $B/libriposte.a $B/libriposte.so.$(VERSION) $(DESTDIR)$(LIBDIR)/
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/riposte
	$(STRIP) --strip-unneeded $(DESTDIR)$(LIBDIR)/libriposte.so.$(VERSION)
	$(STRIP) --strip-debug $(DESTDIR)$(LIBDIR)/libriposte.a
	ln -sf libriposte.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libriposte.so
	install -m 644 include/riposte/*.h $(DESTDIR)$(PREFIX)/include/riposte/
	sed -e 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@VERSION@,$(VERSION),' \
	    tools/riposte.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/riposte.pc
	install -m 644 data/demo.jsonl.gz data/README.md LICENSE NOTICE $(DESTDIR)$(DATADIR)/
	install -m 644 configs/*.ini $(DESTDIR)$(DATADIR)/configs/
	install -m 644 python/riposte.py $(DESTDIR)$(PYTHONDIR)/
	$(PROGRAM) help --format man > $(DESTDIR)$(PREFIX)/$(MAN)
	$(PROGRAM) completion bash > $(DESTDIR)$(PREFIX)/$(BASH_COMPLETION)
	$(PROGRAM) completion zsh > $(DESTDIR)$(PREFIX)/$(ZSH_COMPLETION)
	$(PROGRAM) completion fish > $(DESTDIR)$(PREFIX)/$(FISH_COMPLETION)

wheel: $B/wheel/libriposte.so ## a Python wheel with the library and all that it is linked with, in B/wheel
	@rm -f $B/wheel/*.whl
	@tools/make_wheel $(VERSION) $< $B/wheel

deb: ## Debian packages of the program, the library, its headers and the Python module, in B/deb; lintian judges them
	@tools/make_deb $B/deb

deb-test: ## installs the packages of B/deb into a bare Debian 12 and uses them there (root)
	@[ -d $B/deb ] || $(again) deb
	@tools/deb_test $B/deb

image: ## a container image, B/image/riposte.tar, from the packages of B/deb (root, buildah)
	@[ -d $B/deb ] || $(again) deb
	@tools/make_image $B/deb $B/image

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/riposte $(DESTDIR)$(LIBDIR)/libriposte.a \
	    $(DESTDIR)$(LIBDIR)/libriposte.so $(DESTDIR)$(LIBDIR)/$(SONAME) \
	    $(DESTDIR)$(LIBDIR)/libriposte.so.$(VERSION) $(DESTDIR)$(LIBDIR)/pkgconfig/riposte.pc \
	    $(DESTDIR)$(PYTHONDIR)/riposte.py \
	    $(addprefix $(DESTDIR)$(PREFIX)/,$(FROM_PROGRAM))
	rm -rf $(DESTDIR)$(PREFIX)/include/riposte $(DESTDIR)$(DATADIR)

deps: ## install the packages of packages.txt that are missing: what a build needs (Debian; root or sudo)
	@tools/install_packages packages.txt

deps-test: ## the same, and those of packages-test.txt: what the tests need
	@tools/install_packages packages.txt packages-test.txt

deps-all: ## the same, and those of packages-all.txt and packages-aarch64.txt: fuzzing, linting, peers, coverage
	@tools/install_packages packages.txt packages-test.txt packages-all.txt packages-aarch64.txt

web-deps: ## what the tests of the page in a browser need beside packages-all.txt: a module for node
	cd tests/web && npm ci --no-audit --no-fund

##@ Other
clean: ## remove the build folder
	rm -rf $B

help: ## this list
	@awk -f tools/help.awk $(firstword $(MAKEFILE_LIST))

-include $(shell find $B -name '*.d' -type f 2>/dev/null)
.SECONDARY:
.PHONY: all serve-bundle tests examples so unsanitized everything demo test check-all test-all unit parity unit-parity proof fault test-the-tests cli soak asan \
        tsan check-threaded threaded simde simde-tests coverage sim-compilers aarch64 fuzz-replay fuzz-replay-build fuzz fuzz-clang fuzz-run bundle layers words recursion graph \
        format format-check kernel-check analyze tidy bench bench-check install wheel deb deb-test image uninstall deps deps-test deps-all web-deps clean help
