test_form.o: tests/parity/test_form.c \
 src/backend/gpu/device/emulated_device.h src/backend/gpu/device/driver.h \
 include/riposte/status.h src/backend/gpu/device/fiber.h \
 src/engine/searcher.h src/backend/backend.h src/base/arena.h \
 src/index/index.h src/codec/codec.h src/rank/rank.h src/rank/iiu_score.h \
 include/riposte/index.h src/store/store.h src/base/bits.h src/base/buf.h \
 include/riposte/processor.h src/engine/engine.h src/text/text.h \
 src/engine/gpu_child.h src/engine/mailbox.h include/riposte/search.h \
 src/engine/placement.h src/plan/plan.h src/engine/query_trace.h \
 src/engine/split.h src/index/segment.h src/index/dictionary.h \
 src/index/doctable.h src/index/format.h src/index/manifest.h \
 tests/oracle/chance.h tests/oracle/collection.h tests/oracle/oracle.h \
 include/riposte/riposte.h include/riposte/eval.h \
 include/riposte/topics.h
src/backend/gpu/device/emulated_device.h:
src/backend/gpu/device/driver.h:
include/riposte/status.h:
src/backend/gpu/device/fiber.h:
src/engine/searcher.h:
src/backend/backend.h:
src/base/arena.h:
src/index/index.h:
src/codec/codec.h:
src/rank/rank.h:
src/rank/iiu_score.h:
include/riposte/index.h:
src/store/store.h:
src/base/bits.h:
src/base/buf.h:
include/riposte/processor.h:
src/engine/engine.h:
src/text/text.h:
src/engine/gpu_child.h:
src/engine/mailbox.h:
include/riposte/search.h:
src/engine/placement.h:
src/plan/plan.h:
src/engine/query_trace.h:
src/engine/split.h:
src/index/segment.h:
src/index/dictionary.h:
src/index/doctable.h:
src/index/format.h:
src/index/manifest.h:
tests/oracle/chance.h:
tests/oracle/collection.h:
tests/oracle/oracle.h:
include/riposte/riposte.h:
include/riposte/eval.h:
include/riposte/topics.h:
