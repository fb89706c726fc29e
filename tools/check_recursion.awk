# check_recursion.awk: the union of call graphs must have no cycle. See tools/check_recursion.
# A static function's node is "path/file.c:name", any other's is its name.

function fault(what) { print what; faults++ }

function bare(node) { sub(/.*:/, "", node); return node }

# in.c:fill
function in_file(node) {
    if (node in file_of)
        node = file_of[node] ":" node
    sub(/.*\//, "", node)
    return node
}

function names(node, name) { return name == bare(node) || name == in_file(node) }

function to_regex(glob) {
    gsub(/\./, "\\.", glob)
    gsub(/\*/, ".*", glob)
    gsub(/\?/, ".", glob)
    return "^" glob "$"
}

phase == 1 {
    sub(/#.*/, "")
    if (NF == 0)
        next
    arrow = index(" " $0 " ", " -> ")
    if (arrow < 2 || NF < 3) {
        fault(FILENAME ":" FNR ": expected \"caller... -> pattern...\"")
        next
    }
    n = split(substr($0, 1, arrow - 1), callers, " ")
    for (i = 1; i <= n; i++)
        target[callers[i]] = target[callers[i]] " " substr($0, arrow + 2)
    next
}

phase == 3 {
    taken[$1, $2] = $1 ":" $2
    next
}

/^node: / {
    split($0, part, "\"")
    # A function defined here has a place in its label; one only declared has an ellipse.
    if ($0 !~ /shape : ellipse/ && !(part[2] in is_node)) {
        is_node[part[2]]
        nodes[++n_nodes] = part[2]
        if (part[2] !~ /:/) {
            split(part[4], label, /\\n|:/)
            file_of[part[2]] = label[2]
        }
    }
    next
}

/^edge: / {
    split($0, part, "\"")
    if (part[4] == "__indirect_call")
        indirect[part[2]] = part[6]
    else
        add_edge(part[2], part[4])
}

# gcc calls a function by another name where it knows that nobody can replace it.
function add_edge(from, to) {
    if (sub(/\.localalias.*$/, "", to))
        to = bare(to)
    if ((from, to) in has_edge)
        return
    has_edge[from, to]
    out[from] = out[from] " " to
}

function group(name) {
    if (!(name in target))
        fault(name " is used but not listed")
    return target[name]
}

# Adds an edge from `node` to every function that fits one of the patterns.
function add_indirect(node, list,    patterns, n, i, j, fits, regex) {
    while (match(list, /@[a-z_]+/))
        list = substr(list, 1, RSTART - 1) group(substr(list, RSTART, RLENGTH)) substr(list, RSTART + RLENGTH)
    n = split(list, patterns, " ")
    for (i = 1; i <= n; i++) {
        if (patterns[i] == "outside")
            continue
        regex = to_regex(patterns[i])
        fits = 0
        for (j = 1; j <= n_nodes; j++) {
            if (bare(nodes[j]) ~ regex || in_file(nodes[j]) ~ regex) {
                add_edge(node, nodes[j])
                is_reached[in_file(nodes[j])]
                fits = 1
            }
        }
        if (!fits)
            fault(bare(node) " -> " patterns[i] ": no function of src fits this pattern")
    }
}

# Joins the functions that call through pointers with the lines that name them, one to one.
function join(    node, name, used, found) {
    for (node in indirect) {
        found = 0
        for (name in target) {
            if (!names(node, name))
                continue
            found = 1
            if ((name in used) && used[name] != indirect[node])
                fault(name " is the name of two functions that call through pointers; write file.c:" name)
            used[name] = indirect[node]
            add_indirect(node, target[name])
        }
        if (!found)
            fault(indirect[node] ": " bare(node) " calls through a pointer; list what it may reach in tools/indirect_calls.txt")
    }
    for (name in target) {
        if (name == "libc")
            add_indirect(name, target[name])
        else if (name !~ /^@/ && !(name in used))
            fault(name " is listed but makes no call through a pointer; remove it")
    }
}

# A static function is one of this file; any other may be defined anywhere.
function check_taken(    key, i, own, by_name) {
    for (i = 1; i <= n_nodes; i++) {
        own = in_file(nodes[i])
        by_name[own] = own
        if (nodes[i] in file_of)
            by_name[nodes[i]] = own
    }
    for (key in taken) {
        own = taken[key]
        if (!(own in by_name))
            own = bare(own)
        if ((own in by_name) && !(by_name[own] in is_reached) && !(own in is_told)) {
            is_told[own]
            fault(by_name[own] ": its address is taken, but no line of tools/indirect_calls.txt reaches it")
        }
    }
}

# Takes away nodes that call nothing that is left, until none or only cycles remain.
function peel(    i, j, n, callees, changed, busy) {
    do {
        changed = 0
        for (i = 1; i <= n_nodes; i++) {
            if (nodes[i] in gone)
                continue
            n = split(out[nodes[i]], callees, " ")
            busy = 0
            for (j = 1; j <= n; j++)
                if ((callees[j] in is_node) && !(callees[j] in gone))
                    busy = 1
            if (!busy) {
                gone[nodes[i]]
                changed = 1
            }
        }
    } while (changed)
}

function left_callee(node,    n, j, callees) {
    n = split(out[node], callees, " ")
    for (j = 1; j <= n; j++)
        if ((callees[j] in is_node) && !(callees[j] in gone))
            return callees[j]
}

# Every node left leads into a cycle: walk until one is met again, and print from there.
function show_cycle(node,    step, path, k) {
    while (!(node in step)) {
        step[node] = ++k
        path[k] = node
        node = left_callee(node)
    }
    printf "recursion:"
    for (k = step[node]; k in path; k++)
        printf " %s ->", path[k]
    print " " node
    faults++
}

END {
    join()
    check_taken()
    peel()
    for (i = 1; i <= n_nodes; i++)
        if (!(nodes[i] in gone)) {
            show_cycle(nodes[i])
            break
        }
    printf "%d functions, %d of them call through pointers: %s\n", n_nodes, length_of(indirect), \
        faults ? faults " faults" : "no recursion"
    exit faults > 0
}

function length_of(array,    k, n) { for (k in array) n++; return n + 0 }
