# Figures differ from run to run: what is printed is held to its form.
tiny="--lists U1K --codec bp128,vbyte --repeats 1"
table() { sed -E -e 's/ on .*/ on MACHINE/' -e 's/[0-9]+\.[0-9]+/N/g' -e 's/(scalar|avx2|avx512) +/ISA /' -e 's/ +/ /g'; }
riposte bench codecs $tiny -q >out.txt || echo failed
table <out.txt | head -n 3
grep -c '^.. *bp128 \|^.. *vbyte ' out.txt
sed -n 6p out.txt | table
riposte bench codecs $tiny --order input,random --isa scalar -q --json --plot plot.svg >out.json || echo failed
is_json out.json && echo json
for key in version machine cpu cores instructions command seed results data order lists postings universe rounds memcpy memset \
    rows codec id isa place bits docids directory freqs decode_over_memcpy decode decode_freqs blocks find walk16 \
    walk256 unit median low high best samples; do
    grep -q "\"$key\":" out.json || echo "no $key"
done
grep -o '"codec":"[a-z0-9]*","id":[0-9]*,"isa":"scalar"' out.json | sort | uniq -c
grep -o '"command":"[^"]*"' out.json
head -n 2 plot.svg | tail -n 1 | cut -c 1-40
grep -c '<circle.*<title>' plot.svg
if command -v xmllint >/dev/null; then xmllint --noout plot.svg || echo bad; fi
riposte bench codecs my.rip --min-length 2 --codec raw --repeats 1 -q | sed -n 4p | grep -o '^real, input order: lists [0-9]*, postings [0-9]*, rounds 1'
