/* planted_gpu.c: kernels that fail, for real devices; for the emulated one, the same results. See planted_gpu.h. */
#include "fault/planted_gpu.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/gpu/device/emulated_device.h"

/* What nvcc would make of kernels of one line each; the driver compiles it. */
static const char kernels[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry illegal() { .reg .b64 %a; mov.b64 %a, 16; st.global.u32 [%a], 1; ret; }\n"
    ".visible .entry misaligned() { .reg .b64 %a; mov.b64 %a, 17; st.global.u32 [%a], 1; ret; }\n"
    ".visible .entry traps() { trap; ret; }\n"
    ".visible .entry endless() { AGAIN: nanosleep.u32 1000; bra AGAIN; }\n";

static const struct {
    const char *kernel;
    unsigned grid, block; /* an endless one takes all room, so that others wait */
    int code;             /* on the emulated device */
} plants[] = {
    [PLANT_ILLEGAL] = {"illegal", 1, 1, 700},
    [PLANT_MISALIGNED] = {"misaligned", 1, 1, 716},
    [PLANT_TRAP] = {"traps", 1, 1, 719},
    [PLANT_ENDLESS] = {"endless", 1024, 1024, 0},
};

const char *planted_gpu_name(void)
{
    const char *name = getenv("RIPOSTE_GPU");
    return name && *name ? name : "emulated";
}

bool planted_gpu_is_real(void)
{
    return strcmp(planted_gpu_name(), "emulated") != 0;
}

static void check(const char *what, rp__cu_result result)
{
    if (result == RP_CU_OK)
        return;
    fprintf(stderr, "%s: %d\n", what, result);
    abort();
}

static void launch(const char *kernel, unsigned grid, unsigned block)
{
    const rp__driver *driver;
    rp__cu_device device;
    rp__cu_context context;
    rp__cu_module module;
    rp__cu_function function;
    rp_error err;
    if (rp__driver_load(&driver, &err) != RP_OK)
        abort();
    check("device", driver->device_get(&device, atoi(planted_gpu_name())));
    check("context", driver->context_retain(&context, device));
    check("context", driver->context_set(context));
    check("module", driver->module_load(&module, kernels));
    check("function", driver->module_function(&function, module, kernel));
    check("launch", driver->launch(function, grid, 1, 1, block, 1, 1, 0, NULL, NULL, NULL));
}

static void break_process(plant what)
{
    if (what == PLANT_KILL)
        raise(SIGKILL);
    if (what == PLANT_CRASH)
        abort();
    for (;;)
        pause();
}

void planted_gpu_break(plant what)
{
    if (what == PLANT_NOTHING)
        return;
    if (what > PLANT_ENDLESS)
        break_process(what);
    if (planted_gpu_is_real())
        launch(plants[what].kernel, plants[what].grid, plants[what].block);
    else
        rp__emulated_device_stop(plants[what].code);
}

/* ---- The processor ------------------------------------------------------------------------------- */

static _Atomic int *planted; /* shared with processes that are forked */

static rp_status run(void *state, const rp__query *query, rp__arena *arena, rp__answer *answer,
                     rp_error *err)
{
    planted_gpu_break((plant)atomic_exchange(planted, PLANT_NOTHING));
    return rp__backend_find("gpu")->run(state, query, arena, answer, err);
}

static void batch_start(void *batch, rp__batch_item *asked, size_t n, rp__arena *arena)
{
    planted_gpu_break((plant)atomic_exchange(planted, PLANT_NOTHING));
    rp__backend_find("gpu")->batch_start(batch, asked, n, arena);
}

const rp__backend *planted_gpu_row(void)
{
    static rp__backend row;
    row = *rp__backend_find("gpu");
    row.run = run;
    row.batch_start = batch_start;
    return &row;
}

void planted_gpu_plant(plant what)
{
    if (!planted)
        planted =
            mmap(NULL, sizeof *planted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    atomic_store(planted, (int)what);
}
