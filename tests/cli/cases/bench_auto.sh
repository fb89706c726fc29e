# The processor auto beside the two that it chooses from: how many queries the GPU had, and the thresholds.
export RIPOSTE_GPU=emulated
printf '1\twing lift\n2\tflow layer plate\n3\tnowhere flow\n4\twing\n5\tboundary layer\n' >q.tsv
ask() { riposte bench queries my.rip q.tsv --rounds 1 --k 10 -q "$@"; }
bench() { ask --processors cpu,gpu,auto "$@"; }
all=burst.term=0,burst.and=0,burst.or=0,lone.term=0,lone.and=0,lone.or=0
bench --auto $all,lone-us=7 >out.txt || echo failed
sed -n -E -e 's/[0-9]+\.[0-9]+/N/g' -e 's/(never, whatever|from [0-9]+ of)/THRESHOLD/g' -e '/auto: /p' -e '/perfect/p' out.txt
bench --auto ${all//=0/=never} --pause-us 10 | grep 'of the queries$'
bench --modes or --json >out.json || echo failed
is_json out.json && echo json
for key in pause_us on_gpu placements operation cpu gpu perfect auto by_blocks by_rest by_all mean; do
    grep -q "\"$key\":" out.json || echo "no $key"
done
for text in and=1 burst.and burst.and= burst.and=x burst.and=1x other=1 deep-share=0 =; do
    bench --auto $text; echo $?
done
echo -- memory
ask --strict-processor --processors gpu --gpu-memory 1; echo $?
ask --modes or --processors gpu --gpu-memory 64M --json | grep -o -- '--gpu-memory [0-9]*'
