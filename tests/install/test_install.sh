#!/bin/bash
# Installs into an empty folder and uses the library from there, as a stranger would.
# Does not test what the library answers: tests/parity and tests/cli do.
set -u
B=${B:-build}
make=${MAKE:-make}
[ -x "$B/riposte" ] || { echo "skip install: $B/riposte is not built"; exit 0; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
prefix=/opt/riposte
lib=$root$prefix/lib

check() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$root/log" 2>&1; then
        echo "ok $name"
    else
        echo "not ok $name"
        cat "$root/log"
    fi
}

install_it() { $make -s B="$B" DESTDIR="$root" PREFIX=$prefix install; }

files_are_there() {
    local f
    for f in bin/riposte lib/libriposte.a lib/libriposte.so lib/pkgconfig/riposte.pc \
        include/riposte/riposte.h include/riposte/index.h include/riposte/search.h \
        include/riposte/status.h share/riposte/demo.jsonl.gz share/riposte/LICENSE share/riposte/NOTICE \
        share/man/man1/riposte.1 share/bash-completion/completions/riposte; do
        [ -s "$root$prefix/$f" ] || { echo "missing: $f"; return 1; }
    done
}

soname_is_versioned() {
    local soname
    soname=$(objdump -p "$lib/libriposte.so" | awk '$1 == "SONAME" { print $2 }')
    [[ $soname =~ ^libriposte\.so\.[0-9]+$ ]] && [ -e "$lib/$soname" ] && [ -L "$lib/libriposte.so" ]
}

# What is declared is exported, and nothing else is.
exports_are_the_public_names() {
    sed -e 's,//.*,,' "$root$prefix"/include/riposte/*.h | tr '\n' ' ' | sed 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/, ,g' |
        grep -oE '\brp_[a-z_0-9]+ ?\(' | tr -d ' (' | sort -u >"$root/declared"
    nm -D --defined-only "$lib/libriposte.so" | awk '$2 ~ /[TBDR]/ { sub(/@.*/, "", $3); print $3 }' |
        sort -u >"$root/exported"
    grep -vxE 'rp_[a-z_]+_fn' "$root/declared" | diff - "$root/exported"
}

headers_stand_alone() {
    local h
    for h in "$root$prefix"/include/riposte/*.h; do
        echo "#include <riposte/$(basename "$h")>" | ${CC:-gcc} -std=c11 -Wall -Wextra -Wpedantic -Werror \
            -I"$root$prefix/include" -fsyntax-only -x c - || return 1
    done
}

# Programs of other releases depend on it (status.h).
option_records_begin_with_their_size() {
    awk '/^typedef struct rp_[a-z]*_options \{/ { getline next_line; n++
             if (next_line !~ /^    size_t size;/) { print FILENAME ": " $3; bad = 1 } }
         END { exit bad || n < 10 }' "$root$prefix"/include/riposte/*.h
}

cat >"$root/user.c" <<'C'
#include <riposte/riposte.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    rp_index *index = NULL;
    rp_error err;
    if (rp_index_open("/nonexistent/index", NULL, &index, &err) == RP_OK)
        return 1;
    rp_index_close(index);
    printf("%s: %s\n", rp_version(), err.text);
    return strcmp(rp_version(), RP_VERSION) != 0 || err.text[0] == 0;
}
C

flags() {
    PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config "$@" riposte
}

links_shared() {
    ${CC:-gcc} -std=c11 "$root/user.c" $(flags --cflags --libs) -o "$root/user" &&
        LD_LIBRARY_PATH=$lib "$root/user" &&
        LD_LIBRARY_PATH=$lib ldd "$root/user" | grep -q "$lib/libriposte.so"
}

links_static() {
    ${CC:-gcc} -std=c11 "$root/user.c" $(flags --cflags) "$lib/libriposte.a" \
        $(flags --libs --static | sed 's/-lriposte//') -o "$root/user" && "$root/user"
}

program_runs_from_there() {
    env -C "$root" "$root$prefix/bin/riposte" version
}

program_is_hardened() {
    readelf -hdW "$root$prefix/bin/riposte" >"$root/elf"
    readelf -lW "$root$prefix/bin/riposte" >>"$root/elf"
    grep -q 'Type: *DYN' "$root/elf" && grep -q 'BIND_NOW\|Flags:.*NOW' "$root/elf" && grep -q GNU_RELRO "$root/elf"
}

nothing_has_debugging_data() {
    local f
    for f in bin/riposte lib/libriposte.so lib/libriposte.a; do
        ! readelf -SW "$root$prefix/$f" 2>/dev/null | grep -q '\.debug_info' || { echo "$f"; return 1; }
    done
}

nothing_is_left_after_uninstall() {
    $make -s B="$B" DESTDIR="$root" PREFIX=$prefix uninstall || return 1
    [ -z "$(find "$root$prefix" ! -type d)" ] || { find "$root$prefix" ! -type d; return 1; }
}

check installs install_it
check files_are_there files_are_there
check soname_is_versioned soname_is_versioned
check exports_are_the_public_names exports_are_the_public_names
check headers_stand_alone headers_stand_alone
check option_records_begin_with_their_size option_records_begin_with_their_size
if command -v pkg-config >/dev/null; then
    check links_shared links_shared
    check links_static links_static
else
    echo "skip links: no pkg-config"
fi
check program_runs_from_there program_runs_from_there
check program_is_hardened program_is_hardened
check nothing_has_debugging_data nothing_has_debugging_data
check nothing_is_left_after_uninstall nothing_is_left_after_uninstall
