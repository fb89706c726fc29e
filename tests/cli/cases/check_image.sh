# An image of IIU is checked as an index is: all of it, each fault by name, and exit code 5.
riposte export -q iiu my.rip -o my.iiu
riposte check my.iiu
riposte check my.iiu --json >out.json && is_json out.json && cat out.json
for options in "--max 1 --bounds" "--paired" "--bp128"; do
    riposte export -q iiu my.rip -o other.iiu $options && riposte check other.iiu
done
size=$(stat -c %s my.iiu) n=0 found=0
# A byte changed in steps over the file: found, but where it is a hole between parts, which are zero.
for ((at = 0; at < size; at += 37)); do
    cp my.iiu bad.iiu
    byte=$(od -An -tu1 -j $at -N 1 my.iiu)
    printf "\\$(printf %03o $((byte ^ 4)))" | dd of=bad.iiu bs=1 seek=$at conv=notrunc status=none
    riposte check bad.iiu >/dev/null 2>&1
    rc=$?
    n=$((n + 1))
    [ $rc -eq 5 ] && found=$((found + 1))
    [ $rc -eq 0 ] || [ $rc -eq 5 ] || echo "byte $at: exit $rc"
done
[ $((2 * found)) -ge $n ] || echo "only $found of $n found"
# Two lists of which no query needs to ask: a header's idf, and a bit of a payload behind its header.
python3 - <<'END'
import struct
image = bytearray(open("my.iiu", "rb").read())
directory = struct.unpack_from("<Q", image, len(image) - 64)[0]
first, second = (struct.unpack_from("<Q", image, directory + 16 * i)[0] for i in (3, 40))
image[first + 20] ^= 1
image[second + 64 + 12] ^= 1
open("bad.iiu", "wb").write(image)
END
riposte check bad.iiu; echo $?
# No image, a cut one, one of another version: exit code 5 too.
cp docs.jsonl text; riposte check text; echo $?
head -c 2000 my.iiu >cut.iiu; riposte check cut.iiu; echo $?
printf '\2' | dd of=my.iiu bs=1 seek=8 conv=notrunc status=none; riposte check my.iiu; echo $?
