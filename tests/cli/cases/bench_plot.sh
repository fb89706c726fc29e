# A sixth line is dashed, in the plot and in its legend; a plot is SVG, and no file of another kind.
printf '1\twing lift\n' >q.tsv
riposte bench queries my.rip q.tsv --modes or --k 10 --algorithms all --rounds 1 -q --plot plot.svg >/dev/null
lines=$(grep -c '<polyline' plot.svg)
dashed() { grep "<$1 .*stroke-dasharray" plot.svg | wc -l; }
[ $(dashed polyline) -eq $((lines - 5)) ] && [ $(dashed line) -eq $((lines - 5)) ] && [ "$lines" -gt 5 ] && echo dashes
riposte bench queries my.rip q.tsv --rounds 1 --plot plot.png; echo $?
riposte bench codecs my.rip --plot a.b/plot.PDF; echo $?
riposte bench queries my.rip q.tsv --modes or --k 10 --rounds 1 -q --plot PLOT.SVG >/dev/null && ls PLOT.SVG
ls plot.png 2>&1
