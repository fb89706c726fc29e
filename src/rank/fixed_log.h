/* rank/fixed_log.h: the natural logarithm of a float as a fixed-point number, by integers alone.
 *
 * One routine for every processor, so that Dirichlet's per-posting logarithm has the same bits
 * everywhere; plain C that host and device compilers both take. It does not replace libm in
 * weights, which are made once a query in double.
 * y = 2^e m with 1 <= m < 2. The table gives inv >= 1/(1 + i/64) for the six leading bits i of m,
 * and -ln(inv); r = m inv - 1 is exact and below 1/63, and ln(1 + r) is four terms of its series.
 * Bound: 0 <= ln y - result / 2^25 < 1.01 / 2^25. Rises strictly with y: neighbouring floats are at
 * least 2 / 2^25 apart in ln. */
#ifndef RP_RANK_FIXED_LOG_H
#define RP_RANK_FIXED_LOG_H

#include <stdint.h>
#include <string.h>

enum { RP_FIXED_LOG_BITS = 25 }; /* of fraction; ln of the largest float needs 7 above them */

typedef struct rp__fixed_log_row {
    uint32_t inv;   /* 2^16 / (1 + i/64), rounded up */
    uint64_t log_c; /* -ln(inv / 2^16) in 2^-40, rounded */
} rp__fixed_log_row;

/* clang-format off */
static const rp__fixed_log_row rp__fixed_log_table[64] = {
    {65536, UINT64_C(0)}, {64528, UINT64_C(17042839080)}, {63551, UINT64_C(33817543702)},
    {62602, UINT64_C(50360253238)}, {61681, UINT64_C(66656428041)}, {60788, UINT64_C(82691200684)},
    {59919, UINT64_C(98522794747)}, {59075, UINT64_C(114120276569)},
    {58255, UINT64_C(129489137293)}, {57457, UINT64_C(144654793223)},
    {56680, UINT64_C(159625113672)}, {55925, UINT64_C(174369462837)},
    {55189, UINT64_C(188935627200)}, {54472, UINT64_C(203313775700)},
    {53774, UINT64_C(217493879417)}, {53093, UINT64_C(231507139899)},
    {52429, UINT64_C(245344735037)}, {51782, UINT64_C(258997673091)},
    {51151, UINT64_C(272478296955)}, {50534, UINT64_C(285821602264)},
    {49933, UINT64_C(298976456511)}, {49345, UINT64_C(312000900940)},
    {48771, UINT64_C(324865813381)}, {48211, UINT64_C(337563702781)},
    {47663, UINT64_C(350133094563)}, {47128, UINT64_C(362544504234)},
    {46604, UINT64_C(374838066626)}, {46092, UINT64_C(386984344317)},
    {45591, UINT64_C(399000984448)}, {45101, UINT64_C(410882207490)},
    {44621, UINT64_C(422646782878)}, {44151, UINT64_C(434289537209)},
    {43691, UINT64_C(445805212446)}, {43241, UINT64_C(457188469519)},
    {42800, UINT64_C(468459581522)}, {42367, UINT64_C(479639795383)},
    {41944, UINT64_C(490672693130)}, {41528, UINT64_C(501632071702)},
    {41121, UINT64_C(512461116212)}, {40722, UINT64_C(523181852626)},
    {40330, UINT64_C(533817294532)}, {39946, UINT64_C(544336395769)},
    {39569, UINT64_C(554762579250)}, {39200, UINT64_C(565064163847)},
    {38837, UINT64_C(575293301298)}, {38480, UINT64_C(585447043442)},
    {38131, UINT64_C(595464722694)}, {37787, UINT64_C(605429015446)},
    {37450, UINT64_C(615278900386)}, {37118, UINT64_C(625069702674)},
    {36793, UINT64_C(634739266938)}, {36473, UINT64_C(644343884583)},
    {36158, UINT64_C(653881088651)}, {35849, UINT64_C(663317703937)},
    {35545, UINT64_C(672681335474)}, {35247, UINT64_C(681938211970)},
    {34953, UINT64_C(691147850390)}, {34664, UINT64_C(700276674837)},
    {34380, UINT64_C(709322010084)}, {34101, UINT64_C(718281150325)},
    {33826, UINT64_C(727183864992)}, {33555, UINT64_C(736028175933)},
    {33289, UINT64_C(744779047719)}, {33027, UINT64_C(753466952457)},
};
/* clang-format on */

/* ln y in 2^-25, rounded down; 0 for all that is below 1 or no number; infinity counts as the
 * largest float. */
static inline uint32_t rp__fixed_log(float y)
{
    const uint32_t one = 0x3F800000, infinity = 0x7F800000;
    uint32_t bits;
    memcpy(&bits, &y, sizeof bits);
    if (bits <= one || bits > infinity)
        return 0;
    if (bits == infinity)
        bits--;
    uint64_t e = (bits >> 23) - 127, m = (bits & 0x7FFFFF) | 0x800000;
    const rp__fixed_log_row *row = &rp__fixed_log_table[(bits >> 17) & 63];
    uint64_t r = (m * row->inv - (UINT64_C(1) << 39)) << 1; /* in 2^-40 */
    uint64_t r_short = r >> 8;                              /* in 2^-32 */
    uint64_t r2 = (r_short * r_short) >> 24, r3 = (r2 * r_short) >> 32, r4 = (r3 * r_short) >> 32;
    uint64_t log_m = row->log_c + r - r2 / 2 + r3 / 3 - r4 / 4;
    const uint64_t ln2 = UINT64_C(762123384786);
    return (uint32_t)((e * ln2 + log_m) >> (40 - RP_FIXED_LOG_BITS));
}

#endif
