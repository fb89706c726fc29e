/* filetype.c: files that are not text: those that begin as a known type does, those with a NUL and
 * those of which over 1 byte in 100 is a control character. */
#include "engine/filetype.h"

#include <string.h>

typedef struct magic {
    const char *what;
    const char *bytes;
    uint8_t n;
    uint16_t at;
    bool may_be_ascii; /* such a file may have no control character at all */
} magic;

static const magic rows[] = {
    {"PDF, which is not text", "%PDF-", 5, 0, true},
    {"an image, which is not text", "\x89PNG\r\n", 6, 0, false},
    {"an image, which is not text", "\xFF\xD8\xFF", 3, 0, false},
    {"an image, which is not text", "GIF87a", 6, 0, false},
    {"an image, which is not text", "GIF89a", 6, 0, false},
    {"an image, which is not text", "II*\0", 4, 0, false},
    {"an image, which is not text", "MM\0*", 4, 0, false},
    {"an image, which is not text", "\0\0\1\0", 4, 0, false},
    {"an image, which is not text", "WEBP", 4, 8, false},
    {"an image, which is not text", "AT&TFORM", 8, 0, false},
    {"a program or library, which is not text", "\177ELF", 4, 0, false},
    {"a program or library, which is not text", "MZ", 2, 0, false},
    {"a program or library, which is not text", "!<arch>\n", 8, 0, true},
    {"a program or library, which is not text", "\xCA\xFE\xBA\xBE", 4, 0, false},
    {"a program or library, which is not text", "\0asm", 4, 0, false},
    {"an archive or office document, which is not unpacked", "PK\3\4", 4, 0, false},
    {"an archive or office document, which is not unpacked", "PK\5\6", 4, 0, false},
    {"an archive or office document, which is not unpacked", "\xD0\xCF\x11\xE0", 4, 0, false},
    {"an archive or office document, which is not unpacked", "7z\xBC\xAF", 4, 0, false},
    {"an archive or office document, which is not unpacked", "Rar!\x1A\7", 6, 0, false},
    {"an archive or office document, which is not unpacked", "ustar", 5, 257, false},
    {"compressed by xz or bzip2; only gzip and zstd are unpacked",
     "\xFD"
     "7zXZ",
     5, 0, false},
    {"compressed by xz or bzip2; only gzip and zstd are unpacked", "BZh", 3, 0, false},
    {"compressed twice; one layer is unpacked", "\x1F\x8B", 2, 0, false},
    {"compressed twice; one layer is unpacked", "\x28\xB5\x2F\xFD", 4, 0, false},
    {"sound or video, which is not text", "OggS", 4, 0, false},
    {"sound or video, which is not text", "RIFF", 4, 0, false},
    {"sound or video, which is not text", "fLaC", 4, 0, false},
    {"sound or video, which is not text", "ID3", 3, 0, false},
    {"sound or video, which is not text", "ftyp", 4, 4, false},
    {"sound or video, which is not text", "\x1A\x45\xDF\xA3", 4, 0, false},
    {"a database, which is not text", "SQLite format 3", 15, 0, false},
    {"a file of an index", "\x89RIP\r\n", 6, 0, false},
    {"a font, which is not text", "wOF2", 4, 0, false},
    {"a font, which is not text", "wOFF", 4, 0, false},
    {"a font, which is not text", "OTTO", 4, 0, false},
};

/* Bytes under 0x20 that are no blank, and 0x7F. */
static size_t count_controls(const uint8_t *p, size_t n)
{
    static const uint8_t is_control[256] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0,
                                            1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                                            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, [0x7F] = 1};
    size_t controls = 0;
    for (size_t i = 0; i < n; i++)
        controls += is_control[p[i]];
    return controls;
}

static const char *find_magic(const uint8_t *head, size_t n, bool has_controls)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t at = rows[i].at;
        if (n >= at + rows[i].n && memcmp(head + at, rows[i].bytes, rows[i].n) == 0 &&
            (has_controls || rows[i].may_be_ascii))
            return rows[i].what;
    }
    return NULL;
}

const char *rp__filetype_refuse_magic(const uint8_t *head, size_t n)
{
    n = n < RP_FILETYPE_HEAD_BYTES ? n : RP_FILETYPE_HEAD_BYTES;
    return find_magic(head, n, count_controls(head, n) > 0);
}

const char *rp__filetype_refuse(const uint8_t *head, size_t n)
{
    n = n < RP_FILETYPE_HEAD_BYTES ? n : RP_FILETYPE_HEAD_BYTES;
    size_t controls = count_controls(head, n);
    const char *what = find_magic(head, n, controls > 0);
    if (what)
        return what;
    if (n > 0 && memchr(head, 0, n))
        return "not text: a NUL is in the first 64 KiB";
    return controls * 100 > n ? "not text: over 1 in 100 bytes are control characters" : NULL;
}
