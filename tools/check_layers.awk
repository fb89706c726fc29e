# check_layers.awk: the six tests of tools/check_layers, which says what they are.
# Input, by `phase`: 1 layers.txt; 2 a list of files; 3 a list of "file symbol"; 4 a list of
# "library symbol"; 5 every file of src.

BEGIN {
    n = split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp " \
        "signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string " \
        "tgmath threads time uchar wchar wctype", iso, " ")
    for (i = 1; i <= n; i++)
        is_iso[iso[i] ".h"]
    delete_from_iso("setjmp.h signal.h time.h threads.h locale.h")   # ISO, but a matter of rooms
    is_iso["sys/types.h"]
    while ((getline line < public_text) > 0) {
        gsub(/[^A-Za-z0-9_]+/, " ", line)
        m = split(line, words, " ")
        for (i = 1; i <= m; i++)
            is_declared[words[i]]
    }
}

function delete_from_iso(list,    names, k, m) {
    m = split(list, names, " ")
    for (k = 1; k <= m; k++)
        delete is_iso[names[k]]
}

function breach(where, what) { print where ": " what; breaches++ }

function room_of(path) { sub(/^src\//, "", path); sub(/\/[^\/]*$/, "", path); return path }

function stem_of(path) { sub(/.*\//, "", path); sub(/\.[a-z]*$/, "", path); return path }

# ---- layers.txt
phase == 1 {
    sub(/#.*/, "")
    if (NF == 0)
        next
    if ($1 == "noun:") {
        for (i = 4; i <= NF; i++)
            noun_in[$2, $i]
        is_noun[$2]
        next
    }
    kind = "door"
    room = $1
    sub(/:$/, "", room)
    is_room[room]
    for (i = 2; i <= NF; i++) {
        if ($i == "sys:" || $i == "pub:")
            kind = substr($i, 1, 3)
        else
            may[room, kind, $i]
    }
    next
}

# ---- the list of files: d and e's exemptions
phase == 2 {
    if ($0 ~ /\.(c|cu)$/) {
        s = stem_of($0)
        if (s in stem_file)
            breach($0, "the stem " s " is taken by " stem_file[s] "; stems are unique: rename one")
        stem_file[s] = $0
        is_noun[s]
    }
    if (!(room_of($0) in is_room))
        breach($0, "the room " room_of($0) " is not in layers.txt")
    next
}

# ---- b: symbols
function longest_noun(name,    best) {
    # name is x_y_z: cut from the right until it is a noun.
    while (!(name in is_noun)) {
        if (!sub(/_[^_]*$/, "", name))
            return ""
    }
    return name
}

phase == 3 {
    stem = stem_of($1)
    if (("apart", "door", room_of($1)) in may)
        apart_file[$2] = $1
    if ($2 ~ /^rp__/) {
        noun = longest_noun(substr($2, 5))
        if (noun == "")
            breach($1, $2 ": no file bears this name; call it rp__" stem "_..., or add a noun to layers.txt")
        else if (noun != stem && !((noun, stem) in noun_in))
            breach($1, $2 ": belongs into " (noun in stem_file ? stem_file[noun] : "a file of noun " noun))
    } else if ($2 ~ /^rp_[a-z]/) {
        if (!($2 in is_declared))
            breach($1, $2 ": not declared in include/riposte; call it rp__" stem "_... or declare it")
        if (!(("public", "door", room_of($1)) in may))
            breach($1, $2 ": room " room_of($1) " defines no public names")
    } else if (!($2 == "main" && room_of($1) == "cli"))
        breach($1, $2 ": a global name without rp_ or rp__; make it static")
    next
}

# ---- f: what the library ships
phase == 4 {
    if ($2 in apart_file)
        breach(apart_file[$2], $2 ": is in " $1 "; layers.txt sets room " room_of(apart_file[$2]) " apart from the library")
    next
}

# ---- a, c, e: the text of each file
FNR == 1 {
    if (path)
        check_length()
    path = FILENAME
    room = room_of(path)
}
{ lines = FNR }

phase == 5 && length($0) > 100 && path ~ /\.(h|cu|cuh)$/ && !(("generated", "door", path) in may) {
    breach(FILENAME ":" FNR, length($0) " columns; 100 are the most")
}

function check_length() {
    if (lines > 800 && !(("generated", "door", path) in may))
        breach(path, lines " lines; 800 is the most: split it by idea")
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    check_own(part[2], FILENAME ":" FNR)
}
/^[ \t]*#[ \t]*include[ \t]*</ {
    split($0, part, /[<>]/)
    if (!(part[2] in is_iso) && !((room, "sys", part[2]) in may))
        breach(FILENAME ":" FNR, "<" part[2] "> is not for room " room "; layers.txt says who has it")
}

function check_own(name, where,    from, door) {
    if (name !~ /\//) {
        breach(where, "\"" name "\": write it from src/, as \"" room "/" name "\"")
        return
    }
    if (name ~ /^riposte\//) {
        from = stem_of(name)
        if (from != "status" && !((room, "pub", from) in may))
            breach(where, "\"" name "\" is not for room " room "; layers.txt says who has it")
        return
    }
    from = name
    sub(/\/[^\/]*$/, "", from)
    if (from == room || from == "base" || ((room, "door", name) in may) || ((room, "door", from "/*") in may))
        return
    if (!((room, "door", from) in may)) {
        breach(where, "room " room " may not include room " from " (\"" name "\")")
        return
    }
    door = from
    sub(/.*\//, "", door)
    if (stem_of(name) != door)
        breach(where, "\"" name "\" is interior to " from "; its door is \"" from "/" door ".h\"")
}

END {
    if (path)
        check_length()
    if (breaches) {
        print breaches (breaches == 1 ? " breach" : " breaches") " of layers.txt"
        exit 1
    }
}
