riposte bench gpu --gpu emulated --size 500 --rounds 1 --cases copy | sed 's/ *[0-9.]\+//g'
riposte bench gpu --gpu emulated --size 500 --rounds 1 --cases copy --json > b.json && is_json b.json && echo yes
riposte bench gpu --gpu nothing; echo $?
riposte bench gpu --gpu emulated --cases nothing; echo $?
RIPOSTE_GPU=nothing riposte bench gpu; echo $?
riposte bench gpu --gpu emulated --size 500 --rounds 1 --cases 'intersect bs 1:1' | sed 's/ *[0-9.]\+//g'
riposte bench gpu --gpu emulated --size 500 --rounds 1 --cases 'intersect hs4 1:100;intersect pmf 1' --bucket 32 --levels 4 --ratio 7 | cut -c 1-70 | sed 's/ [0-9. ]*$//'
