/* bench_machine.c: what the program runs on. */
#include "cli/bench_machine.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "riposte/riposte.h"

void rp__bench_machine_get(rp__bench_machine *machine)
{
    rp__cpu_model(machine->cpu, sizeof machine->cpu);
    machine->instructions = rp__cpu_level();
    machine->cores = rp__cpu_machine_cores();
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
