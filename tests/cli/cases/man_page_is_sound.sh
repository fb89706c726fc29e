command -v man >/dev/null || { echo "skip: no man"; exit 77; }
riposte help --format man >riposte.1
man --warnings -l riposte.1 2>&1 >/dev/null | grep -v "can't set the locale" | head
man -l riposte.1 2>/dev/null | grep -c '^       --\|^       -[a-z], --' | sed 's/^[1-9][0-9]*$/options/'
