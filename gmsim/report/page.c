/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assembles the HTML file from the packed parts and the JSON data. Escapes all
 * characters that could end the script element.
 */
#include "config.h"

#include <string.h>

#include "report/page.h"
#include "report/page_assets.h"

/* Number of digits of values in the page's data. The page shows three digits.
 * The additional digits keep sums of several hundred values accurate to three
 * digits. */
#define GMS_PAGE_DIGITS 7

static void gms_page_part(FILE *file, unsigned part)
{
    fwrite(gms_page_parts[part].bytes, 1, gms_page_parts[part].length, file);
}

/** Writes text that appears between tags. */
static void gms_page_text(FILE *file, const char *text)
{
    for (; *text != '\0'; ++text) {
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        default:
            fputc(*text, file);
        }
    }
}

/** Escapes three characters that occur only in JSON strings, where an escape
 *  sequence has the same meaning. In a script element, these characters could
 *  end the element or start a comment. */
static int gms_page_json_piece(const char *text, size_t length, void *closure)
{
    FILE *file = closure;
    size_t i;

    for (i = 0; i < length; ++i) {
        if (text[i] == '<' || text[i] == '>' || text[i] == '&') {
            fprintf(file, "\\u%04x", (unsigned)text[i]);
        } else {
            fputc(text[i], file);
        }
    }
    return ferror(file) ? -1 : 0;
}

static int gms_page_json(FILE *file, const json_t *data)
{
    return json_dump_callback(data, gms_page_json_piece, file,
                              JSON_COMPACT | JSON_SORT_KEYS |
                                  JSON_REAL_PRECISION(GMS_PAGE_DIGITS));
}

static const char *gms_page_title(const json_t *data)
{
    const char *title = json_string_value(json_object_get(data, "title"));

    return (title != NULL && title[0] != '\0') ? title : "A run";
}

static gms_status_t gms_page_finish(FILE *file, int is_written)
{
    return (is_written && fflush(file) == 0 && !ferror(file)) ? GMS_OK
                                                              : GMS_ERR_SYSTEM;
}

gms_status_t gms_page_write(FILE *file, const json_t *data)
{
    int is_written;

    if (!json_is_object(data)) {
        return GMS_ERR_INVALID_PARAM;
    }
    gms_page_part(file, 0);
    gms_page_text(file, gms_page_title(data));
    gms_page_part(file, 1);
    fputs("{\"runs\":[", file);
    is_written = (gms_page_json(file, data) == 0);
    fputs("]}", file);
    gms_page_part(file, 2);
    return gms_page_finish(file, is_written);
}

gms_status_t gms_page_write_comparison(FILE *file, const json_t *first,
                                       const json_t *second)
{
    int is_written;

    if (!json_is_object(first) || !json_is_object(second)) {
        return GMS_ERR_INVALID_PARAM;
    }
    gms_page_part(file, 0);
    gms_page_text(file, gms_page_title(first));
    fputs(" compared with ", file);
    gms_page_text(file, gms_page_title(second));
    gms_page_part(file, 1);
    fputs("{\"runs\":[", file);
    is_written = (gms_page_json(file, first) == 0);
    fputc(',', file);
    is_written = gms_page_json(file, second) == 0 && is_written;
    fputs("]}", file);
    gms_page_part(file, 2);
    return gms_page_finish(file, is_written);
}
