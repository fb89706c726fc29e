# The codecs that auto takes depend on the column of costs, and not on the machine that builds
for column in "" :for=avx2 :for=avx512; do
    for isa in scalar avx2 avx512; do
        RIPOSTE_SIMD=$isa riposte index -q docs.jsonl -o "$isa.rip" --codec "auto$column" || exit
    done
    for file in scalar.rip/*; do
        cmp "$file" "avx2.rip/${file#*/}" && cmp "$file" "avx512.rip/${file#*/}" || exit
    done
    echo "auto$column: the same bytes"
    riposte stats scalar.rip | grep -E '^(codec|chosen for)'
    riposte stats --json scalar.rip | grep -o '"costs":"[a-z0-9]*"'
    rm -r scalar.rip avx2.rip avx512.rip
done
riposte recode -q my.rip -o other.rip --codec auto:for=avx512
riposte recode -q other.rip -o again.rip --aux lr # stays as it was chosen
riposte stats again.rip | grep '^chosen for'
for codec in auto:by=size bp128; do
    riposte recode -q my.rip -o other.rip --codec $codec
    riposte stats other.rip | grep -E '^(codec|chosen for)'
done
riposte index -q docs.jsonl -o x.rip --codec auto:for=neon
riposte index -q docs.jsonl -o x.rip --codec bp128:for=avx2
exit 0
