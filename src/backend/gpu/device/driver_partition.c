/* driver_partition.c: a table of the driver's calls in which a context is one of a part of the card (a green context, CUDA
 * 12.4). All else is the driver's own. */
#include "backend/gpu/device/driver_partition.h"

#include "base/error.h"

static rp__driver partitioned;
static rp__cu_context context;

static rp__cu_result retain(rp__cu_context *out, rp__cu_device device)
{
    (void)device;
    *out = context;
    return RP_CU_OK;
}

static rp__cu_result release(rp__cu_device device)
{
    (void)device;
    return RP_CU_OK;
}

static bool can_split(const rp__driver *d)
{
    return !d->is_emulated && d->resource_get && d->resource_split && d->resource_name &&
           d->partition_create && d->partition_context;
}

/* A context of at least so many multiprocessors of the card; *n: how many. */
static rp__cu_result make_context(const rp__driver *d, rp__cu_device device,
                                  const rp__cu_resource *all, uint32_t min_processors, unsigned *n)
{
    rp__cu_resource part = {0}, rest = {0};
    rp__cu_resources name = NULL;
    rp__cu_partition partition = NULL;
    unsigned groups = 1;
    rp__cu_result result = RP_CU_OK;
    if (min_processors < all->n)
        result = d->resource_split(&part, &groups, all, &rest, 0, min_processors);
    else
        part = *all;
    if (result == RP_CU_OK)
        result = d->resource_name(&name, &part, 1);
    if (result == RP_CU_OK)
        result = d->partition_create(&partition, name, device, RP_CU_PARTITION);
    if (result == RP_CU_OK)
        result = d->partition_context(&context, partition);
    *n = part.n;
    return result;
}

rp_status rp__driver_partition_make(const rp__driver *of, int ordinal, uint32_t processors,
                                    const rp__driver **out, uint32_t *have, rp_error *err)
{
    rp__cu_resource all = {0};
    rp__cu_device device;
    rp__cu_context primary;
    if (!can_split(of))
        return rp__error_set(err, RP_UNAVAILABLE,
                             "cannot be tested: %s has no partitions of multiprocessors",
                             of->is_emulated ? "the emulated device" : "this driver");
    rp__cu_result result = of->device_get(&device, ordinal);
    if (result == RP_CU_OK)
        result = of->context_retain(&primary, device);
    if (result == RP_CU_OK)
        result = of->resource_get(device, &all, RP_CU_PROCESSORS);
    if (result == RP_CU_OK && processors > all.n)
        return rp__error_set(err, RP_USAGE, "--sms %u: the card has %u multiprocessors",
                             (unsigned)processors, all.n);
    if (result == RP_CU_OK)
        result = make_context(of, device, &all, processors, have);
    if (result != RP_CU_OK)
        return rp__error_set(err, RP_UNAVAILABLE,
                             "cannot be tested: the card is not partitioned (%s)",
                             rp__driver_text(of, result));
    partitioned = *of;
    partitioned.context_retain = retain;
    partitioned.context_release = release;
    *out = &partitioned;
    return RP_OK;
}
