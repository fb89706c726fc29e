# Riposte. `make help` lists the targets.
B      ?= build
CC     ?= gcc
OPT    ?= -O2 -g
WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
CFLAGS += -std=c11 -D_GNU_SOURCE $(OPT) $(WARN) -ffp-contract=off -fPIC -fvisibility=hidden -pthread $(SAN)
CPPFLAGS += -Iinclude -Isrc
LIBS   := -lzstd -lz -lxxhash -lutf8proc -lstemmer -lm -pthread

LIB_SRC := $(sort $(wildcard src/base/*.c src/codec/*.c src/text/*.c src/store/*.c src/rank/*.c \
                             src/index/*.c src/backend/*.c src/backend/cpu/*.c src/plan/*.c src/engine/*.c))
CLI_SRC := $(sort $(wildcard src/cli/*.c))
TEST_SRC := $(sort $(wildcard tests/unit/*/test_*.c tests/parity/test_*.c tests/fault/test_*.c))
LIB_OBJ := $(LIB_SRC:%.c=$B/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$B/%.o)
TESTS   := $(TEST_SRC:tests/%.c=$B/tests/%)

all: $B/riposte

$B/riposte: $(CLI_OBJ) $B/libriposte.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ $(LIBS)

$B/libriposte.a: $(LIB_OBJ)
	rm -f $@ && ar rcs $@ $^

$B/%_avx2.o: CFLAGS += -mavx2 -mbmi -mbmi2
$B/%_avx512.o: CFLAGS += -mavx2 -mbmi -mbmi2 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mavx512vbmi2

$B/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$B/tests/%: tests/%.c $B/libriposte.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP $(LDFLAGS) $< $B/libriposte.a -o $@ $(LIBS) -lcmocka -lunistring

tests: $(TESTS)

unit: tests
	@for t in $(TESTS); do $$t || exit 1; done

clean:
	rm -rf $B

-include $(shell find $B -name '*.d' 2>/dev/null)
.PHONY: all tests unit clean
