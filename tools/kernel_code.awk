# kernel_code.awk: a kernel's machine code for sm_90, written so that names leave no trace in it.
#
# Input: a line "function ADDRESS" (hex) for each function in the kernel's section, the kernel itself among
# them; then the section, an instruction a line, as `od -An -v -tx8 -w16` writes it. ptxas orders functions by
# name, so these are written in the order in which they are first called, and what depends on their
# place is written in other terms: the callee's number for a call, the target for a return, and the distance
# from the function's begin for a return address. Padding behind the section's last function is left out.
function decimal(hex,   i, n) {
    for (i = 1; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
    return n
}

# Where a relative jump at `at` goes: bits 34 to 63 are its distance / 1024, bits 16 to 23 the rest / 4.
function target(at,   far) {
    far = decimal(substr(low[at], 1, 8))
    if (far >= 2147483648) far -= 4294967296
    return at + 16 + (far - far % 4) * 256 + 4 * decimal(substr(low[at], 11, 2))
}

# What is left of an instruction without the distance.
function rest(at) { return substr(high[at], 1, 11) " " substr(low[at], 9, 2) substr(low[at], 13, 4) }

function opcode(at) { return substr(low[at], 14, 3) }

function number_of(callee) {
    if (!(callee in number)) {
        order[n_ordered] = callee
        number[callee] = n_ordered++
    }
    return number[callee]
}

function end_of(begin,   at) {
    for (at = begin + 16; at < bytes && !(at in is_function); at += 16)
        ;
    if (at < bytes) return at
    while (at > begin && opcode(at - 16) == "918") at -= 16
    if (at > begin && low[at - 16] == "fffffffc00fc7947") at -= 16
    return at
}

function print_function(begin,   at, end, returns) {
    end = end_of(begin)
    for (at = begin; at < end; at += 16)
        if (opcode(at) == "944") returns[sprintf("%08x", at + 16)] = at + 16 - begin
    print "function"
    for (at = begin; at < end; at += 16) {
        if (opcode(at) == "944") print "call", number_of(target(at)), rest(at)
        else if (opcode(at) == "950") print "return", target(at), rest(at)
        else if (opcode(at) ~ /802|424/ && substr(low[at], 1, 8) in returns)
            print "address", returns[substr(low[at], 1, 8)], high[at], substr(low[at], 9)
        else print high[at], low[at]
    }
}

BEGIN { n_ordered = bytes = 0 }
$1 == "function" { is_function[decimal($2)]; next }
{ low[bytes] = $1; high[bytes] = $2; bytes += 16 }
END {
    number_of(0)
    for (i = 0; i < n_ordered; i++) print_function(order[i])
    for (at = 0; at < bytes; at += 16)
        if (at in is_function && !(at in number)) print_function(at)
}
