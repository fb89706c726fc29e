# What an encoder is told; what is refused, with what there is to choose from.
for codec in pfd:exceptions=0.1 pfd_rec:exceptions=0.2,level=2 qs:c=4 pfd:segment=64 parapfor:segment=64,exceptions=0.2 iiu:max=16 \
    hslrc256:exceptions=0.1; do
    riposte index -q --codec $codec docs.jsonl -o new.rip && riposte check new.rip
    riposte stats new.rip | grep codec
done
for codec in pfd:exceptions=0.7 pfd:exception=0.1 pfd:level=1 bp128:level=1 bp128:fast=1 pfd_rec:level=one \
    pfd_rec:level=1,level=2 pfd: qs:c optpdf:exceptions=0.1 vbyt pfd:segment=32 optpfd:segment=64 iiu:max=0 iiu:max=257 lrc:exceptions=1; do
    riposte index -q --codec $codec docs.jsonl -o other.rip
    echo $?
done
[ ! -e other.rip ]
