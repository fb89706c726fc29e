/* form_report.c: the form of a query. */
#include "cli/form_report.h"

#include "cli/figures.h"

void rp__form_report_write(rp__json_writer *w, const rp_form *form)
{
    rp__json_writer_begin(w, "form", '{');
    rp__json_writer_text(w, "processor", form->processor);
    rp__json_writer_text(w, "row", form->row);
    rp__json_writer_text(w, "fallback", form->fallback ? rp_fallback_name(form->fallback) : NULL);
    rp__json_writer_uint(w, "lists", form->lists);
    rp__json_writer_uint(w, "postings", form->postings);
    rp__json_writer_uint(w, "shortest", form->shortest);
    rp__json_writer_bool(w, "can_step", form->can_step);
    rp__json_writer_uint(w, "resident_bytes", form->resident_bytes);
    rp__json_writer_uint(w, "upload_bytes", form->upload_bytes);
    rp__json_writer_uint(w, "transcode_postings", form->transcode_postings);
    rp__json_writer_end(w, '}');
}

/* What is missing on a card, if anything is. */
static void note_missing(const rp__console *console, const rp_form *form)
{
    char upload[RP_FIGURE_BYTES], made[RP_FIGURE_BYTES];
    if (form->upload_bytes > 0 || form->transcode_postings > 0)
        rp__console_note(console, "form: the %s has to upload %s and to transcode %s",
                         form->processor, rp__figures_of(upload, form->upload_bytes, "byte"),
                         rp__figures_of(made, form->transcode_postings, "posting"));
}

void rp__form_report_note(const rp__console *console, const rp_form *form)
{
    char lists[RP_FIGURE_BYTES], postings[RP_FIGURE_BYTES], shortest[RP_FIGURE_BYTES];
    if (!form->row) {
        rp__console_note(console, "form: the %s does not answer: %s", form->processor,
                         rp_fallback_text(form->fallback));
        return;
    }
    rp__console_note(console, "form: the %s answers by %s; %s, %s, the shortest %s",
                     form->processor, form->row, rp__figures_of(lists, form->lists, "list"),
                     rp__figures_of(postings, form->postings, "posting"),
                     rp__figures_count(shortest, form->shortest));
    note_missing(console, form);
}
