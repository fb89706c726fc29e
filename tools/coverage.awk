# coverage.awk: sums up what `gcov -t -b -c` printed for one source file after another (see tools/coverage).

function end_block() {
    if (!block_lines)
        return
    never++
    if (block ~ /RP_(USAGE|INPUT|IO|DAMAGED|INCOMPATIBLE|UNAVAILABLE|NO_MEMORY|LIMIT|INTERRUPTED)|error|fail|errno|damaged|return (false|NULL|-1|status|s);/) {
        errors++
        kind = "error"
    } else
        kind = "other"
    printf "%s:%d: %s: %s\n", file, block_from, kind, block > list
    block_lines = 0
    block = ""
}

# The branches of a line. More than 64 are copies: a condition in a function that is inlined for every
# width, constant in each copy. They count as the two ways that the condition has.
function end_line(    i, n) {
    n = n_ways
    if (n > 64) {
        way[1] = way[2] = 0
        for (i = 1; i <= n; i++)
            way[falls[i] ? 1 : 2] = way[falls[i] ? 1 : 2] || counts[i]
        n = 2
    } else
        for (i = 1; i <= n; i++) way[i] = counts[i]
    for (i = 1; i <= n; i++) {
        branches[room]++
        of_file[file, "branches"]++
        if (way[i]) {
            taken[room]++
            of_file[file, "taken"]++
        }
    }
    n_ways = 0
}

function text_of(line) {
    sub(/^[^:]*:[^:]*:[ \t]*/, "", line)
    return line
}

/^ *-: *0:Source:/ {
    end_line()
    end_block()
    file = $0
    sub(/^.*Source:/, "", file)
    wanted = file ~ /^src\/.*\.c$/
    room = file
    sub(/^src\//, "", room)
    sub(/\/[^\/]*$/, "", room)
    next
}
!wanted || /^ *-: *0:/ || /^(function|call|unconditional)/ { next }

/^branch/ {
    counts[++n_ways] = $3 == "taken" && $4 > 0
    falls[n_ways] = /fallthrough/
    next
}
{ end_line() }
/^ *-:/ { next } # a line without code; it does not end what surrounds it

{
    lines[room]++
    of_file[file, "lines"]++
    files[file] = room
    if ($1 ~ /^(#####|=====)/) {
        if (!block_lines++) {
            block_from = $0
            sub(/^[^:]*: */, "", block_from)
            block_from += 0
            block = text_of($0)
        } else if (length(block) < 200)
            block = block " " text_of($0)
    } else {
        end_block()
        ran[room]++
        of_file[file, "ran"]++
    }
}

function percent(part, of) { return of ? 100 * part / of : 100 }

END {
    end_line()
    end_block()
    split("codec store index rank plan", names)
    for (i in names) is_strict[names[i]] = 1
    for (room in lines) {
        all += lines[room]; all_ran += ran[room]; all_branches += branches[room]; all_taken += taken[room]
        l = percent(ran[room], lines[room])
        b = percent(taken[room], branches[room])
        is_low = is_strict[room] && (l < 95 || b < 90)
        bad += is_low
        printf "%-14s %5.1f%% of %5d lines, %5.1f%% of %5d branches%s\n", room, l, lines[room], b, branches[room],
            is_low ? "  under 95% or 90%" : "" | "sort"
    }
    close("sort")
    if (!all) { print "coverage: no counts; did the tests run?"; exit 2 }
    for (f in files) {
        l = percent(of_file[f, "ran"], of_file[f, "lines"])
        b = percent(of_file[f, "taken"], of_file[f, "branches"])
        if (l < 90 || (is_strict[files[f]] && (l < 95 || b < 85)))
            printf "  %-44s %5.1f%% of %4d lines, %5.1f%% of %4d branches\n", f, l, of_file[f, "lines"], b,
                of_file[f, "branches"] | "sort -k2n"
    }
    close("sort -k2n")
    printf "never run: %d places, %d of them error paths; see %s\n", never, errors, list
    printf "coverage: %.1f%% of %d lines, %.1f%% of %d branches of src\n", percent(all_ran, all), all,
        percent(all_taken, all_branches), all_branches
    exit percent(all_ran, all) < 90 || bad > 0
}
