/* bench_svg.c: writes marks of SVG into a buffer. */
#include "cli/bench_svg.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "cli/console.h"

const char *const rp__bench_svg_colours[RP_BENCH_SVG_COLOURS] = {"#b4421c", "#1f6fb2", "#6b6b6b",
                                                                 "#3a8f4d", "#7a4fa3"};

rp_status rp__bench_svg_check(const char *path, rp_error *err)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *suffix = path ? strrchr(slash ? slash : path, '.') : NULL;
    if (!suffix || strcasecmp(suffix, ".svg") == 0)
        return RP_OK;
    return rp__error_set(err, RP_USAGE, "--plot %s: a plot is SVG; let the name end in .svg", path);
}

void rp__bench_svg_begin(rp__buf *out, int width, int height)
{
    rp__buf_printf(out,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                   "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"%d\" "
                   "fill=\"#222222\">\n"
                   "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
                   width, height, width, height, RP_BENCH_SVG_FONT, width, height);
}

void rp__bench_svg_end(rp__buf *out)
{
    rp__buf_put_string(out, "</svg>\n");
}

void rp__bench_svg_xml(rp__buf *out, const char *text)
{
    rp__buf clean;
    rp__buf_init(&clean);
    rp__console_clean(&clean, text, strlen(text));
    for (size_t i = 0; i < clean.n; i++) {
        char c = (char)clean.at[i];
        if (c == '&')
            rp__buf_put_string(out, "&amp;");
        else if (c == '<')
            rp__buf_put_string(out, "&lt;");
        else if (c == '>')
            rp__buf_put_string(out, "&gt;");
        else
            rp__buf_put_byte(out, (uint8_t)c);
    }
    rp__buf_free(&clean);
}

void rp__bench_svg_text(rp__buf *out, double x, double y, const char *anchor, const char *text)
{
    rp__buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    rp__bench_svg_xml(out, text);
    rp__buf_put_string(out, "</text>\n");
}

void rp__bench_svg_title(rp__buf *out, double x, double y, const char *text)
{
    rp__buf_printf(out, "<text x=\"%.0f\" y=\"%.1f\" font-size=\"16\" font-weight=\"bold\">", x, y);
    rp__bench_svg_xml(out, text);
    rp__buf_put_string(out, "</text>\n");
}

void rp__bench_svg_upward(rp__buf *out, double x, double y, const char *text)
{
    rp__buf_printf(out, "<g transform=\"translate(%.0f %.1f) rotate(-90)\">\n", x, y);
    rp__bench_svg_text(out, 0, 0, "middle", text);
    rp__buf_put_string(out, "</g>\n");
}

void rp__bench_svg_line(rp__buf *out, double x1, double y1, double x2, double y2,
                        const char *colour)
{
    rp__bench_svg_stroke(out, x1, y1, x2, y2, colour, false);
}

void rp__bench_svg_stroke(rp__buf *out, double x1, double y1, double x2, double y2,
                          const char *colour, bool is_dashed)
{
    rp__buf_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"%s/>\n",
                   x1, y1, x2, y2, colour, is_dashed ? RP_BENCH_SVG_DASHES : "");
}

void rp__bench_svg_frame(rp__buf *out, double x, double y, double width, double height)
{
    rp__buf_printf(out,
                   "<rect x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" fill=\"none\" "
                   "stroke=\"#666666\"/>\n",
                   x, y, width, height);
}
