/* misuse_lab_calls.c: a call and a row for every function of lab.h. */
#include "fault/misuse.h"

CALL(rp__lab_row_get)
{
    rp__lab_row out;
    return misuse_has(rp__lab_row_get(0, NEED(0, &out)));
}

CALL(rp__lab_row_find)
{
    size_t number;
    return rp__lab_row_find(NEED(0, "bp128"), NULL, NEED(1, &number), err);
}

CALL(rp__lab_list_new)
{
    rp__lab_list *list = NULL;
    rp_status status =
        rp__lab_list_new(0, NULL, NEED(0, misuse.docids), NULL, MISUSE_DOCIDS, NEED(1, &list), err);
    rp__lab_list_free(list);
    return status;
}

FREE_CALL(rp__lab_list_free)

CALL(rp__lab_list_get_sizes)
{
    rp__lab_sizes sizes = {.n = 77};
    rp__lab_list_get_sizes(NEED(0, misuse.list), NEED(1, &sizes));
    return misuse_has(misuse_missing == 1 ? sizes.n != 77 : sizes.n > 0);
}

CALL(rp__lab_decode)
{
    uint64_t sum;
    return rp__lab_decode(NEED(0, misuse.list), NEED(1, misuse.decoded), NULL, NEED(2, &sum));
}

CALL(rp__lab_blocks)
{
    uint64_t sum;
    return rp__lab_blocks(NEED(0, misuse.list), NEED(1, &sum));
}

CALL(rp__lab_unordered)
{
    uint64_t sum;
    rp__lab_row row;
    size_t i = 0;
    while (rp__lab_row_get(i, &row) && !(row.has_unordered && row.can_run))
        i++;
    rp__lab_list *list;
    assert_int_equal(rp__lab_list_new(i, NULL, misuse.docids, NULL, MISUSE_DOCIDS, &list, NULL),
                     RP_OK);
    rp_status status = rp__lab_unordered(NEED(0, list), NEED(1, &sum));
    rp__lab_list_free(list);
    return status;
}

rp__lab_list *misuse_list_with_at(void)
{
    rp__lab_row row;
    rp__lab_list *list;
    size_t i = 0;
    while (rp__lab_row_get(i, &row) && !(row.has_at && row.can_run))
        i++;
    assert_int_equal(rp__lab_list_new(i, NULL, misuse.docids, NULL, MISUSE_DOCIDS, &list, NULL),
                     RP_OK);
    return list;
}

CALL(rp__lab_at)
{
    uint64_t sum;
    rp__lab_list *list = misuse_list_with_at();
    rp_status status =
        rp__lab_at(NEED(0, list), NEED(1, ((uint32_t[]){0, MISUSE_DOCIDS - 1})), 2, NEED(2, &sum));
    rp__lab_list_free(list);
    return status;
}

CALL(rp__lab_find)
{
    uint64_t sum;
    return rp__lab_find(NEED(0, misuse.list), NEED(1, misuse.docids), 5, NEED(2, &sum));
}

CALL(rp__lab_walk)
{
    uint64_t sum;
    return rp__lab_walk(NEED(0, misuse.list), NEED(1, misuse.docids), 5, NEED(2, &sum));
}

CALL(rp__lab_set_is_name)
{
    return misuse_has(rp__lab_set_is_name(NEED(0, "U128")));
}

CALL(rp__lab_set_make)
{
    rp__lab_set set = {0};
    rp_status status = rp__lab_set_make(NEED(0, "U128"), 1, NEED(1, &set), err);
    rp__lab_set_free(&set);
    return status;
}

CALL(rp__lab_set_load)
{
    rp__lab_set set = {0};
    rp_status status = rp__lab_set_load(NEED(0, misuse.index), 1, NEED(1, &set), err);
    rp__lab_set_free(&set);
    return status;
}

CALL(rp__lab_set_load_term)
{
    rp__lab_set set = {0};
    rp_status status =
        rp__lab_set_load_term(NEED(0, misuse.index), NEED(1, "wing"), NEED(2, &set), err);
    rp__lab_set_free(&set);
    return status;
}

CALL(rp__lab_set_permute)
{
    assert_int_equal(rp__lab_set_permute(&(rp__lab_set){0}, 1, NULL), RP_OK);
    return rp__lab_set_permute(NEED(0, &misuse.set), 1, err);
}

CALL(rp__lab_set_free)
{
    rp__lab_set set;
    rp_status status = rp__lab_set_load(misuse.index, 1, &set, err);
    rp__lab_set_free(&set);
    rp__lab_set_free(&set);
    rp__lab_set_free(NULL);
    return status;
}

CALL(rp__lab_search)
{
    rp__lab_answer out;
    return rp__lab_search(NEED(0, misuse.searcher), NEED(1, "wing"), 4, NEED(2, &out), err);
}

CALL(rp__lab_query_look)
{
    rp__lab_question out;
    return rp__lab_query_look(NEED(0, misuse.searcher), NEED(1, "wing"), 4, NEED(2, &out), err);
}

CALL(rp__lab_probe_get)
{
    rp__lab_probe out;
    return misuse_has(rp__lab_probe_get(0, NEED(0, &out)));
}

CALL(rp__lab_target_new)
{
    rp__lab_target *target = NULL;
    rp_status status =
        rp__lab_target_new(NULL, NEED(0, misuse.docids), MISUSE_DOCIDS, 0, NEED(1, &target), err);
    rp__lab_target_free(target);
    return status;
}

FREE_CALL(rp__lab_target_free)

CALL(rp__lab_probe_applies)
{
    return misuse_has(rp__lab_probe_applies(0, NEED(0, misuse.target)));
}

CALL(rp__lab_probe_choose)
{
    return misuse_has(misuse_missing == -1 || rp__lab_probe_choose(NEED(0, misuse.target), 5) != 0);
}

CALL(rp__lab_probe_find)
{
    size_t found;
    return rp__lab_probe_find(0, NEED(0, misuse.target), NEED(1, misuse.docids), 5, false, NULL,
                              NEED(2, &found));
}

CALL(rp__lab_energy_read)
{
    rp__lab_energy out = {.cpu = 77};
    rp__lab_energy_read(NEED(0, &out));
    return misuse_has(out.cpu != 77);
}

CALL(rp__lab_line_fit)
{
    rp__lab_line out;
    return rp__lab_line_fit(NEED(0, misuse.docids), MISUSE_DOCIDS, NEED(1, &out));
}

CALL(rp__lab_random_list_model)
{
    rp__lab_random_list out;
    return rp__lab_random_list_model(1000, 10, 22, 1e-5, NEED(0, &out));
}

CALL(rp__lab_lookup_model)
{
    const rp__lab_lookup_list list = {1000, 0.5, 0.5};
    rp__lab_lookup out;
    return rp__lab_lookup_model(NEED(0, &list), 1, 256, 1, 1, NEED(1, &out));
}

CALL(rp__lab_buckets_count)
{
    static rp__lab_buckets out[RP_LAB_BUCKET_KINDS];
    return rp__lab_buckets_count(NEED(0, misuse.index), NULL, 1, NEED(1, out), err);
}

CALL(rp__lab_case_get)
{
    rp__lab_case out;
    return misuse_has(rp__lab_case_get(0, NEED(0, &out)));
}

CALL(rp__lab_gpu_open)
{
    rp__lab_gpu *gpu = NULL;
    rp_status status = rp__lab_gpu_open("emulated", NEED(0, &gpu), err);
    rp__lab_gpu_close(gpu);
    return status;
}

FREE_CALL(rp__lab_gpu_close)

CALL(rp__lab_gpu_name)
{
    return misuse_has(rp__lab_gpu_name(NEED(0, misuse.gpu)));
}

CALL(rp__lab_gpu_run)
{
    rp__lab_case_figures out;
    return rp__lab_gpu_run(NEED(0, misuse.gpu), 0, 1000, 1, NEED(1, &out), err);
}

CALL(rp__lab_source_open)
{
    static const rp__lab_source_options options = {.postings = 1000};
    rp__lab_source *source = NULL;
    rp_status status =
        rp__lab_source_open(NEED(0, misuse.index), NEED(1, &options), NEED(2, &source), err);
    rp__lab_source_free(source);
    return status;
}

FREE_CALL(rp__lab_source_free)

CALL(rp__lab_param_name)
{
    (void)err;
    return misuse_has(rp__lab_param_name(0));
}

CALL(rp__lab_case_has)
{
    (void)err;
    size_t i = 0;
    while (i < 1000 && !rp__lab_case_has(i, 0))
        i++;
    return misuse_has(rp__lab_case_has(i, 0));
}

CALL(rp__lab_case_takes)
{
    static const rp__lab_source_options options = {.postings = 1000};
    rp__lab_source *source = NULL;
    size_t i = 0;
    assert_int_equal(rp__lab_source_open(misuse.index, &options, &source, NULL), RP_OK);
    while (i < 1000 && !rp__lab_case_takes(i, source))
        i++;
    bool takes = rp__lab_case_takes(i, NEED(0, source));
    rp__lab_source_free(source);
    return misuse_has(takes);
}

CALL(rp__lab_case_check)
{
    static const rp__lab_given given = {.source = NULL};
    return rp__lab_case_check(0, NEED(0, &given), err);
}

CALL(rp__lab_gpu_run_given)
{
    static const rp__lab_given given = {.source = NULL};
    rp__lab_case_figures out;
    return rp__lab_gpu_run_given(NEED(0, misuse.gpu), 0, NEED(1, &given), 1000, 1, NEED(2, &out),
                                 err);
}

const misuse_row misuse_lab_rows[] = {
    ROW(rp__lab_row_get, VALUE, "out"),
    ROW(rp__lab_row_find, STATUS_AND_ERROR, "name, out"),
    ROW(rp__lab_list_new, STATUS_AND_ERROR, "docids, out"),
    ROW(rp__lab_list_free, VALUE, ""),
    ROW(rp__lab_list_get_sizes, VALUE, "list, out"),
    ROW(rp__lab_decode, STATUS, "list, docids, sum"),
    ROW(rp__lab_blocks, STATUS, "list, sum"),
    ROW(rp__lab_unordered, STATUS, "list, sum"),
    ROW(rp__lab_at, STATUS, "list, ranks, sum"),
    ROW(rp__lab_find, STATUS, "list, targets, sum"),
    ROW(rp__lab_walk, STATUS, "list, targets, sum"),
    ROW(rp__lab_set_is_name, VALUE, "name"),
    ROW(rp__lab_set_make, STATUS_AND_ERROR, "name, out"),
    ROW(rp__lab_set_load, STATUS_AND_ERROR, "index, out"),
    ROW(rp__lab_set_load_term, STATUS_AND_ERROR, "index, word, out"),
    ROW(rp__lab_set_permute, STATUS_AND_ERROR, "set"),
    ROW(rp__lab_set_free, VALUE, ""),
    ROW(rp__lab_search, STATUS_AND_ERROR, "searcher, query, out"),
    ROW(rp__lab_query_look, STATUS_AND_ERROR, "searcher, query, out"),
    ROW(rp__lab_probe_get, VALUE, "out"),
    ROW(rp__lab_target_new, STATUS_AND_ERROR, "docids, out"),
    ROW(rp__lab_target_free, VALUE, ""),
    ROW(rp__lab_probe_applies, VALUE, "target"),
    ROW(rp__lab_probe_choose, VALUE, "target"),
    ROW(rp__lab_probe_find, STATUS, "target, docids, found"),
    ROW(rp__lab_energy_read, VALUE, "out"),
    ROW(rp__lab_line_fit, STATUS, "docids, out"),
    ROW(rp__lab_random_list_model, STATUS, "out"),
    ROW(rp__lab_lookup_model, STATUS, "lists, out"),
    ROW(rp__lab_buckets_count, STATUS_AND_ERROR, "index, out"),
    ROW(rp__lab_case_get, VALUE, "out"),
    ROW(rp__lab_gpu_open, STATUS_AND_ERROR, "out"),
    ROW(rp__lab_gpu_close, VALUE, ""),
    ROW(rp__lab_gpu_name, VALUE, "gpu"),
    ROW(rp__lab_gpu_run, STATUS_AND_ERROR, "gpu, out"),
    ROW(rp__lab_source_open, STATUS_AND_ERROR, "index, options, out"),
    ROW(rp__lab_source_free, VALUE, ""),
    ROW(rp__lab_param_name, VALUE, ""),
    ROW(rp__lab_case_has, VALUE, ""),
    ROW(rp__lab_case_takes, VALUE, "source"),
    ROW(rp__lab_case_check, STATUS_AND_ERROR, "given"),
    ROW(rp__lab_gpu_run_given, STATUS_AND_ERROR, "gpu, given, out"),
    {0},
};
