riposte recode my.rip -o new.rip --codec vbyte
riposte index -q --codec vbyte docs.jsonl -o built.rip && diff -r new.rip built.rip && echo the same
riposte recode -q new.rip -o back.rip --codec auto --threads 2 --memory 64M && diff -r my.rip back.rip && echo the same
riposte recode -q my.rip -o my.rip --freqs rice && riposte check my.rip && riposte stats my.rip | grep -E 'codec|freq|gener'
riposte recode my.rip -o my.rip --codec pfd_rec:level=2 --json >out.json && is_json out.json &&
    sed -E 's/("bytes_[a-z]*":)[0-9]+/\10/g' out.json
riposte search -q my.rip 'wing flow' --no-snippets
