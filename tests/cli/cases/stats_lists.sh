riposte stats my.rip --lists --top 4
awk 'BEGIN { for (i = 0; i < 300; i++) printf "{\"id\":\"n%d\",\"text\":\"wing wing%d %s\"}\n", i, i % 7, i % 3 ? "" : "wing" }' |
    riposte index -q - -o big.rip
riposte stats big.rip --lists --top 3
riposte stats big.rip --lists | wc -l
riposte stats big.rip --lists --top 2 --json >out.json && is_json out.json && grep -o '"lists":\[.*' out.json
riposte stats my.rip --lists --top 0; echo $?
