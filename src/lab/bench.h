/* lab/bench.h: what the program's bench verbs call: measurements of answers, codecs, cuts,
 * intersections, queries, PARA and simulated memory. Kernels of a GPU are chapter 7 of
 * lab/lab.h. */
#ifndef RP_LAB_BENCH_H
#define RP_LAB_BENCH_H

#include "lab/bench_answers.h"
#include "lab/bench_codecs.h"
#include "lab/bench_cuts.h"
#include "lab/bench_dram.h"
#include "lab/bench_intersections.h"
#include "lab/bench_para.h"
#include "lab/bench_queries.h"
#include "lab/bench_threshold.h"

#endif
