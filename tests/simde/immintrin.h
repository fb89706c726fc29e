/* simde/immintrin.h: AVX2, AVX-512 and BMI without a processor that has them, for `make simde`.
 *
 * This file stands before the compiler's own <immintrin.h>. Debian's libsimde-dev 0.7.4 provides
 * most intrinsics in portable C; the ones it lacks follow, written lane by lane from Intel's
 * definition. It contains only what src uses: an intrinsic that is missing here fails to
 * compile. */
#ifndef RP_TESTS_SIMDE_IMMINTRIN_H
#define RP_TESTS_SIMDE_IMMINTRIN_H
#pragma GCC                                                                                        \
    system_header /* whose macros get no warnings where they are used, as the compiler's own */

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>

/* Masks have no native alias. */
#define __mmask8  simde__mmask8
#define __mmask16 simde__mmask16
#define __mmask32 simde__mmask32
#define __mmask64 simde__mmask64

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* src has empty __asm__ statements only, which pin values to registers that are missing here. (The
 * headers above, whose declarations use __asm__, are read before.) */
#define __asm__(...)

/* Lanes in memory, the lowest first. */
typedef union rp_simde {
    uint8_t b[64];
    uint16_t h[32];
    uint32_t w[16];
    int32_t i[16];
    uint64_t q[8];
    float f[16];
} rp_simde;

static inline rp_simde rp_simde_of(__m512i v)
{
    rp_simde r;
    memcpy(&r, &v, sizeof r);
    return r;
}

static inline __m512i rp_simde_to(rp_simde v)
{
    __m512i r;
    memcpy(&r, &v, sizeof r);
    return r;
}

/* ---- BMI ------------------------------------------------------------------------------------- */

static inline uint64_t _bzhi_u64(uint64_t a, uint64_t n)
{
    n &= 255;
    return n < 64 ? a & ((UINT64_C(1) << n) - 1) : a;
}

static inline uint32_t _bzhi_u32(uint32_t a, uint32_t n)
{
    n &= 255;
    return n < 32 ? a & ((UINT32_C(1) << n) - 1) : a;
}

static inline uint64_t _pdep_u64(uint64_t a, uint64_t mask)
{
    uint64_t r = 0;
    for (; mask; mask &= mask - 1, a >>= 1)
        if (a & 1)
            r |= mask & -mask;
    return r;
}

static inline uint32_t _pdep_u32(uint32_t a, uint32_t mask)
{
    return (uint32_t)_pdep_u64(a, mask);
}

static inline uint64_t _pext_u64(uint64_t a, uint64_t mask)
{
    uint64_t r = 0;
    for (uint32_t k = 0; mask; mask &= mask - 1, k++)
        if (a & mask & -mask)
            r |= UINT64_C(1) << k;
    return r;
}

static inline uint64_t _tzcnt_u64(uint64_t a)
{
    return a ? (uint64_t)__builtin_ctzll(a) : 64;
}

static inline uint32_t _tzcnt_u32(uint32_t a)
{
    return a ? (uint32_t)__builtin_ctz(a) : 32;
}

static inline int64_t _mm_popcnt_u64(uint64_t a)
{
    return __builtin_popcountll(a);
}

/* ---- Comparisons into masks ------------------------------------------------------------------ */

static inline __mmask16 _mm512_mask_cmplt_epu32_mask(__mmask16 k, __m512i a, __m512i b)
{
    rp_simde x = rp_simde_of(a), y = rp_simde_of(b);
    uint32_t r = 0;
    for (uint32_t i = 0; i < 16; i++)
        r |= (uint32_t)(x.w[i] < y.w[i]) << i;
    return (__mmask16)(r & k);
}

static inline __mmask16 _mm512_mask_cmpgt_epu32_mask(__mmask16 k, __m512i a, __m512i b)
{
    return _mm512_mask_cmplt_epu32_mask(k, b, a);
}

static inline __mmask16 _mm512_cmplt_epu32_mask(__m512i a, __m512i b)
{
    return _mm512_mask_cmplt_epu32_mask(0xFFFF, a, b);
}

static inline __mmask16 _mm512_cmpgt_epu32_mask(__m512i a, __m512i b)
{
    return _mm512_mask_cmplt_epu32_mask(0xFFFF, b, a);
}

/* The aliases of these three have wrong numbers of arguments. */
#undef _mm512_mask_cmple_epu32_mask
#undef _mm512_mask_cmpge_epu32_mask
#undef _mm512_madd_epi16

static inline __mmask16 _mm512_mask_cmple_epu32_mask(__mmask16 k, __m512i a, __m512i b)
{
    return k & (__mmask16)~_mm512_mask_cmplt_epu32_mask(0xFFFF, b, a);
}

static inline __mmask16 _mm512_mask_cmpge_epu32_mask(__mmask16 k, __m512i a, __m512i b)
{
    return _mm512_mask_cmple_epu32_mask(k, b, a);
}

static inline __m512i _mm512_madd_epi16(__m512i a, __m512i b)
{
    return simde_mm512_madd_epi16(a, b);
}

static inline __mmask64 _mm512_mask_cmplt_epu8_mask(__mmask64 k, __m512i a, __m512i b)
{
    return k & _mm512_cmplt_epu8_mask(a, b);
}

static inline __mmask16 _mm_cmpgt_epu8_mask(__m128i a, __m128i b)
{
    uint8_t x[16], y[16];
    uint32_t r = 0;
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (uint32_t i = 0; i < 16; i++)
        r |= (uint32_t)(x[i] > y[i]) << i;
    return (__mmask16)r;
}

static inline __mmask16 _mm512_mask_testn_epi32_mask(__mmask16 k, __m512i a, __m512i b)
{
    rp_simde x = rp_simde_of(a), y = rp_simde_of(b);
    uint32_t r = 0;
    for (uint32_t i = 0; i < 16; i++)
        r |= (uint32_t)((x.w[i] & y.w[i]) == 0) << i;
    return (__mmask16)(r & k);
}

static inline __mmask16 _mm512_testn_epi32_mask(__m512i a, __m512i b)
{
    return _mm512_mask_testn_epi32_mask(0xFFFF, a, b);
}

static inline __mmask32 _mm512_testn_epi16_mask(__m512i a, __m512i b)
{
    rp_simde x = rp_simde_of(a), y = rp_simde_of(b);
    uint32_t r = 0;
    for (uint32_t i = 0; i < 32; i++)
        r |= (uint32_t)((x.h[i] & y.h[i]) == 0) << i;
    return r;
}

/* The one of 0.7.4 is wrong for most values. */
#undef _mm256_testz_si256

static inline int _mm256_testz_si256(__m256i a, __m256i b)
{
    uint64_t x[4], y[4];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    return ((x[0] & y[0]) | (x[1] & y[1]) | (x[2] & y[2]) | (x[3] & y[3])) == 0;
}

/* ---- Memory: lanes that the mask leaves out are not read ------------------------------------- */

static inline __m512i _mm512_mask_loadu_epi32(__m512i src, __mmask16 k, const void *p)
{
    rp_simde r = rp_simde_of(src);
    for (uint32_t i = 0; i < 16; i++)
        if (k >> i & 1)
            memcpy(&r.w[i], (const char *)p + 4 * i, 4);
    return rp_simde_to(r);
}

static inline __m512i _mm512_maskz_loadu_epi32(__mmask16 k, const void *p)
{
    return _mm512_mask_loadu_epi32(_mm512_setzero_si512(), k, p);
}

static inline __m512 _mm512_maskz_loadu_ps(__mmask16 k, const void *p)
{
    return _mm512_castsi512_ps(_mm512_maskz_loadu_epi32(k, p));
}

static inline __m512i _mm512_mask_i32gather_epi32(__m512i src, __mmask16 k, __m512i at,
                                                  const void *base, int scale)
{
    rp_simde r = rp_simde_of(src), x = rp_simde_of(at);
    for (uint32_t i = 0; i < 16; i++)
        if (k >> i & 1)
            memcpy(&r.w[i], (const char *)base + (int64_t)x.i[i] * scale, 4);
    return rp_simde_to(r);
}

/* ---- Lanes that move ------------------------------------------------------------------------- */

static inline __m512i _mm512_alignr_epi32(__m512i high, __m512i low, int n)
{
    rp_simde h = rp_simde_of(high), l = rp_simde_of(low), r;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t at = i + ((uint32_t)n & 15);
        r.w[i] = at < 16 ? l.w[at] : h.w[at - 16];
    }
    return rp_simde_to(r);
}

static inline __m512i _mm512_alignr_epi64(__m512i high, __m512i low, int n)
{
    return _mm512_alignr_epi32(high, low, 2 * (n & 7));
}

static inline __m512i _mm512_maskz_compress_epi8(__mmask64 k, __m512i a)
{
    rp_simde x = rp_simde_of(a), r = {.b = {0}};
    for (uint32_t i = 0, n = 0; i < 64; i++)
        if (k >> i & 1)
            r.b[n++] = x.b[i];
    return rp_simde_to(r);
}

static inline __m512i _mm512_maskz_expand_epi8(__mmask64 k, __m512i a)
{
    rp_simde x = rp_simde_of(a), r = {.b = {0}};
    for (uint32_t i = 0, n = 0; i < 64; i++)
        if (k >> i & 1)
            r.b[i] = x.b[n++];
    return rp_simde_to(r);
}

enum { _MM_PERM_BBBB = 0x55 };

static inline __m512i _mm512_maskz_shuffle_epi32(__mmask16 k, __m512i a, int control)
{
    rp_simde x = rp_simde_of(a), r = {.b = {0}};
    for (uint32_t i = 0; i < 16; i++)
        if (k >> i & 1)
            r.w[i] = x.w[i / 4 * 4 + ((uint32_t)control >> 2 * (i % 4) & 3)];
    return rp_simde_to(r);
}

/* ---- Shifts and conversions ------------------------------------------------------------------ */

static inline __m512i _mm512_mask_srli_epi32(__m512i src, __mmask16 k, __m512i a, uint32_t n)
{
    rp_simde x = rp_simde_of(a), r = rp_simde_of(src);
    for (uint32_t i = 0; i < 16; i++)
        if (k >> i & 1)
            r.w[i] = n < 32 ? x.w[i] >> n : 0;
    return rp_simde_to(r);
}

static inline __m512i _mm512_shrdv_epi64(__m512i low, __m512i high, __m512i by)
{
    rp_simde l = rp_simde_of(low), h = rp_simde_of(high), n = rp_simde_of(by), r;
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t s = n.q[i] & 63;
        r.q[i] = s ? l.q[i] >> s | h.q[i] << (64 - s) : l.q[i];
    }
    return rp_simde_to(r);
}

static inline __m512i _mm512_cvtepu8_epi32(__m128i a)
{
    uint8_t x[16];
    rp_simde r;
    memcpy(x, &a, sizeof x);
    for (uint32_t i = 0; i < 16; i++)
        r.w[i] = x[i];
    return rp_simde_to(r);
}

static inline __m128i _mm512_cvtepi64_epi8(__m512i a)
{
    rp_simde x = rp_simde_of(a);
    uint8_t b[16] = {0};
    __m128i r;
    for (uint32_t i = 0; i < 8; i++)
        b[i] = (uint8_t)x.q[i];
    memcpy(&r, b, sizeof r);
    return r;
}

static inline __m512 _mm512_cvtepi32_ps(__m512i a)
{
    rp_simde x = rp_simde_of(a), r;
    for (uint32_t i = 0; i < 16; i++)
        r.f[i] = (float)x.i[i];
    return _mm512_castsi512_ps(rp_simde_to(r));
}

static inline __m512i _mm512_cvttps_epi32(__m512 a)
{
    rp_simde x = rp_simde_of(_mm512_castps_si512(a)), r;
    for (uint32_t i = 0; i < 16; i++) /* outside the range: Intel's "integer indefinite" */
        r.i[i] = x.f[i] >= -0x1p31F && x.f[i] < 0x1p31F ? (int32_t)x.f[i] : INT32_MIN;
    return rp_simde_to(r);
}

#endif
