# The simulated accelerator on an index and on an image. Cycles are sim's own tests' business.
printf '1\twing lift\n2\tjet\n3\tnosuchterm\n4\twing lift jet\n' >q.tsv
riposte sim my.rip q.tsv; echo $?
riposte recode -q my.rip -o iiu.rip --codec iiu
riposte export -q iiu my.rip -o my.iiu
for path in iiu.rip my.iiu; do
    riposte sim $path q.tsv | sed -n '1,3p' | cut -f1-4,10
    riposte sim -q $path q.tsv --mode or --set dl=free,cores=1 --config hbm | sed -n '2p' | cut -f1-4,10
done
riposte sim -q my.iiu q.tsv --mode single | sed -n '2,9p' | cut -f1-4,10
riposte sim -q my.iiu q.tsv | sed -n 's/  *dl=/ dl=/gp'
riposte sim -q my.iiu q.tsv --json | grep -o '"dl":"[a-z0-9]*"\|"results":[0-9]*,"cycles\|"status":"[A-Z]*"'
riposte sim --list-configs | sed -n '1,11p'
for name in ddr4 hbm hbm2-pc hbm3 ddr5 scm core ideal extended; do
    riposte sim -q my.iiu q.tsv --config $name --set dl=line | sed -n '2p' | cut -f1-4,10
done
riposte sim -q my.iiu q.tsv --set dl=line --trace t.json >/dev/null && grep -c '"ph":"X"' t.json
# Extensions give the same documents; with topk each lane keeps its best.
riposte export -q iiu my.rip -o ones.iiu --max 1 --bounds
for keys in dl=free dl=free,ranges=3 dl=free,ranges=64,cores=2,mode=inter dl=line,topk=2,cores=1,ranges=2; do
    riposte sim -q ones.iiu q.tsv --mode or --set $keys | sed -n '2p' | cut -f1-4,10
done
riposte sim -q ones.iiu q.tsv --mode single --set dl=line,topk=2,threshold=on,cores=1 | sed -n '2,3p' | cut -f1-4,10
