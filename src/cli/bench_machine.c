/* bench_machine.c: asks the system what it runs on. Linux says it in /proc; elsewhere it is unknown. */
#include "cli/bench_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "riposte/riposte.h"

static void read_model(char *out, size_t room)
{
    char line[256];
    FILE *in = fopen("/proc/cpuinfo", "re");
    snprintf(out, room, "unknown");
    while (in && fgets(line, sizeof line, in)) {
        const char *value = strchr(line, ':');
        if (!value || strncmp(line, "model name", 10) != 0)
            continue;
        value += 1 + strspn(value + 1, " \t");
        snprintf(out, room, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (in)
        fclose(in);
}

void rp__bench_machine_get(rp__bench_machine *machine)
{
    uint32_t features = rp__cpu_features();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    read_model(machine->cpu, sizeof machine->cpu);
    machine->instructions = features & RP_CPU_AVX512 ? "avx512"
                            : features & RP_CPU_AVX2 ? "avx2"
                                                     : "scalar";
    machine->cores = cores > 0 ? (uint32_t)cores : 1;
    if (getloadavg(&machine->load, 1) != 1)
        machine->load = -1;
}

void rp__bench_machine_print(const rp__bench_machine *machine)
{
    printf("riposte %s on %s, %u cores, %s", rp_version(), machine->cpu, machine->cores,
           machine->instructions);
    if (machine->load >= 0)
        printf("; load %.2f", machine->load);
    putchar('\n');
}

void rp__bench_machine_write(rp__json_writer *w, const rp__bench_machine *machine)
{
    rp__json_writer_text(w, "version", rp_version());
    rp__json_writer_begin(w, "machine", '{');
    rp__json_writer_text(w, "cpu", machine->cpu);
    rp__json_writer_uint(w, "cores", machine->cores);
    rp__json_writer_text(w, "instructions", machine->instructions);
    if (machine->load >= 0)
        rp__json_writer_real(w, "load", machine->load, 2);
    rp__json_writer_end(w, '}');
}
