/* synth_random.c: numbers of given distributions.
 *
 * Sources: exponential by layers: Marsaglia and Tsang, "The ziggurat method", 2000; gamma: the same, "A
 * simple method for generating gamma variables", 2000; normal: Marsaglia's polar method. */
#include <math.h>

#include "engine/synth.h"

/* Where the lowest layer's tail begins, such that the layers end at the curve's top. */
static const double tail_begin = 7.69711747013104972;

void rp__synth_random_layers(rp__synth_layers *l)
{
    double area = (tail_begin + 1) * exp(-tail_begin);
    l->width[0] = area * exp(tail_begin); /* as wide as its tail makes it */
    l->width[1] = tail_begin;
    for (size_t i = 1; i < RP_SYNTH_LAYERS - 1; i++)
        l->width[i + 1] = -log(area / l->width[i] + exp(-l->width[i]));
    l->width[RP_SYNTH_LAYERS] = 0;
    for (size_t i = 0; i <= RP_SYNTH_LAYERS; i++)
        l->height[i] = exp(-l->width[i]);
}

double rp__synth_random_tail(rp__synth_random *r, const rp__synth_layers *l, uint64_t bits)
{
    double base = 0;
    for (;; bits = rp__synth_random_next(r)) {
        size_t i = bits % RP_SYNTH_LAYERS;
        double x = (double)(bits >> 11) * 0x1p-53 * l->width[i];
        if (x < l->width[i + 1])
            return base + x;
        if (i == 0) { /* beyond its begin the curve is the same again */
            base += tail_begin;
            continue;
        }
        double y = l->height[i] + rp__synth_random_unit(r) * (l->height[i + 1] - l->height[i]);
        if (y < exp(-x))
            return base + x;
    }
}

double rp__synth_random_normal(rp__synth_random *r)
{
    for (;;) {
        double x = 2 * rp__synth_random_unit(r) - 1, y = 2 * rp__synth_random_unit(r) - 1;
        double s = x * x + y * y;
        if (s > 0 && s < 1)
            return x * sqrt(-2 * log(s) / s);
    }
}

double rp__synth_random_gamma(rp__synth_random *r, double shape)
{
    /* A shape below 1 is one of shape + 1, made smaller. */
    double less = shape < 1 ? pow(1 - rp__synth_random_unit(r), 1 / shape) : 1;
    double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = rp__synth_random_normal(r), v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        double u = 1 - rp__synth_random_unit(r);
        if (log(u) < x * x / 2 + d - d * v + d * log(v))
            return d * v * less;
    }
}
