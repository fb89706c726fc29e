# check_words.awk: the test of tools/check_words. Input, by `phase`: 1 words.txt; 2 every file.
# A line is cut into code and prose: comments, and all of a page, are prose; strings are neither.

function after(text, mark) { return substr(text, index(text, mark) + length(mark)) }
function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
function breach(word, instead) {
    print FILENAME ":" FNR ": \"" word "\": write " instead
    breaches++
}

# ---- words.txt
phase == 1 {
    if ($0 ~ /^#/ || NF == 0)
        next
    kind = $1
    if (kind == "except:") {
        except_path[++n_except] = $2
        except_word[n_except] = $3
        gsub(/_/, " ", except_word[n_except])
        if (NF < 4) {
            print FILENAME ":" FNR ": an exception needs a reason"
            breaches++
        }
        next
    }
    if ((kind != "name:" && kind != "prose:") || index($0, "->") == 0) {
        print FILENAME ":" FNR ": neither name:, prose: nor except:"
        breaches++
        next
    }
    split(after($0, kind), part, "->")
    word = tolower(trim(part[1]))
    if (kind == "name:") {
        name_instead[word] = trim(part[2])
    } else {
        phrase[++n_phrases] = word
        phrase_instead[n_phrases] = trim(part[2])
    }
    next
}

# ---- every file
FNR == 1 {
    in_comment = 0
    is_page = FILENAME ~ /\.md$/
    is_named = FILENAME ~ /^(src|include)\//
    last_prose = ""
    split("", is_excepted)
    for (i = 1; i <= n_except; i++)
        if (index(FILENAME, except_path[i]) == 1)
            is_excepted[except_word[i]]
}

# Cuts $0 into the globals code and prose.
function cut(    rest, at) {
    rest = $0
    code = prose = ""
    while (rest != "") {
        if (in_comment) {
            at = index(rest, "*/")
            prose = prose " " (at ? substr(rest, 1, at - 1) : rest)
            rest = at ? substr(rest, at + 2) : ""
            in_comment = !at
        } else if (match(rest, /\/\*|\/\/|"([^"\\]|\\.)*"/)) {
            code = code " " substr(rest, 1, RSTART - 1)
            if (substr(rest, RSTART, 2) == "/*")
                in_comment = 1
            else if (substr(rest, RSTART, 2) == "//") {
                prose = prose " " substr(rest, RSTART + 2)
                rest = ""
                continue
            }
            rest = substr(rest, RSTART + (in_comment ? 2 : RLENGTH))
        } else {
            code = code " " rest
            rest = ""
        }
    }
}

function check_names(    names, parts, n, m, i, j, w) {
    n = split(tolower(code), names, /[^a-z0-9_]+/)
    for (i = 1; i <= n; i++) {
        m = split(names[i], parts, "_")
        for (j = 1; j <= m; j++) {
            w = parts[j]
            if (w in name_instead && !(w in is_excepted))
                breach(names[i], name_instead[w])
        }
    }
}

# A phrase may begin on the line before.
function check_prose(    text, here, i) {
    here = tolower(prose)
    gsub(/[^a-z0-9'-]+/, " ", here)
    text = " " last_prose " " here " "
    gsub(/ +/, " ", text)
    for (i = 1; i <= n_phrases; i++)
        if (!(phrase[i] in is_excepted) && index(text, " " phrase[i] " ") && !index(" " last_prose " ", " " phrase[i] " "))
            breach(phrase[i], phrase_instead[i])
    last_prose = here
}

phase == 2 {
    if (is_page) {
        prose = $0
        code = ""
    } else
        cut()
    if (is_named && code != "")
        check_names()
    if (prose != "" || last_prose != "")
        check_prose()
}

END {
    if (breaches) {
        print breaches (breaches == 1 ? " word" : " words") " that words.txt replaces"
        exit 1
    }
}
