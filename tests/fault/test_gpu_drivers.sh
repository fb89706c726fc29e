# test_gpu_drivers.sh: CUDA drivers that are not there, too old, or that fail: what the program says, and that the cpu
# answers. The drivers are made for it: tests/fault/preload_cuda.c.
set -u
B=${B:-build} RIPOSTE=${RIPOSTE:-$B/riposte}
RIPOSTE=$(realpath "$RIPOSTE")
dir=$(mktemp -d "${TMPDIR:-/tmp}/riposte-drivers-XXXXXX")
trap 'rm -rf "$dir"' EXIT
unset RIPOSTE_GPU
export LD_LIBRARY_PATH="$dir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
seq -f '{"id":"d%g","text":"one two three"}' 300 > "$dir/docs.jsonl"
"$RIPOSTE" index "$dir/docs.jsonl" -o "$dir/ix" --codec bp128 -q || exit 1
want=$("$RIPOSTE" search "$dir/ix" 'one two' --mode and -q 2>/dev/null)

check() { # NAME GOT PATTERN
    if printf '%s\n' "$2" | grep -q -- "$3"; then echo "ok $1"; else echo "not ok $1: '$2' has no '$3'"; fi
}

driver() { # none, other, fake: what libcuda.so.1 is
    rm -f "$dir/libcuda.so.1"
    case $1 in
    none) : > "$dir/libcuda.so.1" ;;
    other) cp "$B/tests/fault/preload_malloc.so" "$dir/libcuda.so.1" ;;
    fake) cp "$B/tests/fault/preload_cuda.so" "$dir/libcuda.so.1" ;;
    esac
}

# refused NAME REASON [VARIABLE=VALUE]: doctor has the reason, and a search that asks for the GPU ends with 6.
refused() {
    name=$1 reason=$2
    shift 2
    check "doctor: $name" "$(env "$@" "$RIPOSTE" doctor)" "none: .*$reason"
    for child in '' --gpu-child; do
        said=$(env "$@" "$RIPOSTE" search "$dir/ix" 'one two' --processor gpu $child 2>&1)
        check "search $child: $name" "$said, exit $?" "$reason.*, exit 6"
    done
}

# answered NAME NOTE [VARIABLE=VALUE]: the answer is the cpu's; the note, where there is one, is said once.
answered() {
    name=$1 note=$2
    shift 2
    for child in $children; do
        got=$(env "$@" "$RIPOSTE" search "$dir/ix" 'one two' --mode and --processor gpu --gpu-timeout 300 \
            ${child#no} 2> "$dir/notes")
        check "answer $child: $name" "exit $?: $got" "^exit 0: "
        [ "$got" = "$want" ] && echo "ok hits $child: $name" || echo "not ok hits $child: $name"
        check "note $child: $name" "$(grep 'gpu was lost' "$dir/notes")" "^$note\$"
    done
}

driver none
refused 'no driver' 'there is no CUDA driver'
# What is wrong with the names is said before anybody looks for a driver.
for child in '' --gpu-child; do
    for names in x 0,x 0, x,0 0,0 0,1,0 0,1,2,3,4,5,6,7,8; do
        said=$("$RIPOSTE" search "$dir/ix" 'one two' --processor gpu $child --gpu $names 2>&1)
        check "names $child: $names" "$said, exit $?" "\(no GPU is called 'x'\|no GPU is called ''\|GPU 0 is there twice\|more than 8\).*, exit 2"
    done
done
driver other
refused 'a library without calls' 'lacks cuInit; it is too old'
driver fake
# The processor auto opens no card for one search, nor for a short batch.
export FAKE_CALLS="$dir/calls"
"$RIPOSTE" search "$dir/ix" 'one two' --mode and > /dev/null 2>&1
for i in 1 2 3 4 5; do printf '%s\tone two\n' "$i"; done > "$dir/topics.tsv"
"$RIPOSTE" batch "$dir/ix" "$dir/topics.tsv" --mode and -q > /dev/null || echo 'not ok batch'
[ -e "$dir/calls" ] && echo 'not ok auto opens no card' || echo 'ok auto opens no card'
FAKE_COUNT=0 "$RIPOSTE" search "$dir/ix" 'one two' --processor gpu 2> /dev/null
check 'gpu asks the driver' "$(cat "$dir/calls")" cuInit
unset FAKE_CALLS
refused 'it does not start' 'does not start: CUDA_ERROR_FAKE' FAKE_FAIL=cuInit=100
refused 'an old driver' 'too old; 12.0 or later is needed' FAKE_VERSION=11080
refused 'no version' 'too old' FAKE_FAIL=cuDriverGetVersion=1
refused 'no card' 'knows no GPU' FAKE_COUNT=0
refused 'no count' 'cannot be counted' FAKE_FAIL=cuDeviceGetCount=999
said=$("$RIPOSTE" search "$dir/ix" 'one two' --processor gpu --gpu 7 2>&1)
check 'a card that is not there' "$said, exit $?" 'there is no GPU 7; the last is 0, exit 6'
if "$RIPOSTE" doctor | grep -q 'has no GPU code'; then
    echo 'skip drivers that fail later: this build has no GPU code'
    exit 0
fi
# A card is opened once, whether it answers one query or a batch.
for verb in "search $dir/ix one" "batch $dir/ix $dir/topics.tsv"; do
    rm -f "$dir/calls"
    FAKE_CALLS="$dir/calls" FAKE_FAIL=cuLaunchKernel=719 "$RIPOSTE" $verb --mode and --processor gpu -q > /dev/null 2>&1
    check "one context: ${verb%% *}" "$(grep -c cuDevicePrimaryCtxRetain "$dir/calls")" '^1$'
done
# A few queries get only as many threads as find any, each with streams of its own.
rm -f "$dir/calls"
FAKE_CALLS="$dir/calls" FAKE_FAIL=cuLaunchKernel=719 "$RIPOSTE" batch "$dir/ix" "$dir/topics.tsv" --mode and --processor gpu --threads 64 -q \
    > /dev/null 2>&1
check 'streams of five queries' "$(grep -c cuStreamCreate "$dir/calls")" '^[1-9]$'
refused 'an old card' 'is too old: compute capability 7' FAKE_MAJOR=7
refused 'a card that cannot be asked' 'cannot be asked what it is' FAKE_FAIL=cuDeviceTotalMem_v2=101
refused 'a card in use' 'cannot be opened' FAKE_FAIL=cuDevicePrimaryCtxRetain=46
refused 'no stream' 'cannot be opened' FAKE_FAIL=cuStreamCreate=46
lost='riposte: the gpu was lost, and the cpu answered: fake'
children='no --gpu-child'
answered 'no memory' '' FAKE_FAIL=cuMemAlloc_v2=2
answered 'no pinned memory' '' FAKE_FAIL=cuMemHostAlloc=2
answered 'no image' '' FAKE_FAIL=cuModuleLoadData=209
answered 'no kernel' '' FAKE_FAIL=cuModuleGetFunction=500
answered 'a launch that fails' "$lost: CUDA_ERROR_FAKE" FAKE_FAIL=cuLaunchKernel=719
children=no
answered 'a card that is lost at once' "$lost: CUDA_ERROR_FAKE" FAKE_FAIL=cuStreamQuery=700
answered 'a card that does not come back' "$lost: does not come back" FAKE_FAIL=cuStreamQuery=600
