# Costs by the ratio of the two shortest lists. Times differ from run to run; groups do not.
unset RIPOSTE_COSTS RIPOSTE_GPU
riposte calibrate my.rip --sample 100 --rounds 1 --gpu emulated --plot both.svg >out
sed -n '/two shortest/,$p' out | sed -E 's/ +[0-9]+\.[0-9]/ T/g'
grep -c '<polyline' both.svg; tail -n 1 both.svg
riposte calibrate my.rip --sample 100 --rounds 1 --no-card --plot core.svg | sed -n '/^or: micro/,$p' | sed -E 's/ +[0-9]+\.[0-9]/ T/g'
grep -c '<polyline' core.svg
riposte calibrate my.rip --sample 100 --rounds 1 --gpu emulated --json >out.json && is_json out.json &&
    grep -o '"crossover":{[^}]*},"ratios":\[{"mode":"and","ratio":1,"queries":[0-9]*,"cpu":0' out.json
riposte calibrate my.rip --sample 100 --rounds 1 --no-card --json | grep -o '"crossover":{[^}]*}'
printf '1\tnowhere nothing\n' >q.tsv
riposte calibrate my.rip q.tsv --rounds 1 --no-card --plot none.svg | sed -n '/two shortest/,$p'
grep -c '<polyline' none.svg
riposte calibrate my.rip --plot x.png; echo $?
riposte calibrate my.rip --sample 10 --rounds 1 --no-card --plot no/where.svg >out; echo $?
