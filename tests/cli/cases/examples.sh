[ -x "$EXAMPLES/build" ] && [ -x "$EXAMPLES/search" ] || { echo "skip: examples are not built"; exit 77; }
printf 'a quick brown fox\nthe lazy dogs\nfoxes and dogs\n' | "$EXAMPLES/build" lines.rip
"$EXAMPLES/search" lines.rip fox
"$EXAMPLES/search" lines.rip 'lazy (' ; echo $?
"$EXAMPLES/search" no-such.rip fox; echo $?
"$EXAMPLES/search"; echo $?
"$EXAMPLES/build"; echo $?
