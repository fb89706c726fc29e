riposte search my.rip jet --processor cpu --no-snippets
riposte search my.rip jet --processor auto --no-snippets
# The simulated accelerator reads its own codec.
riposte search my.rip jet --processor iiu; echo $?
riposte search my.rip jet --processor iiu --json; echo $?
riposte recode -q my.rip -o iiu.rip --codec iiu
for variant in iiu lucene; do
    riposte search iiu.rip 'wing lift' --processor iiu --variant $variant --no-snippets --k 2 2>&1 | sed 's/, [0-9]* cycles/, some cycles/'
    riposte search iiu.rip 'wing lift' --processor cpu --variant $variant --no-snippets --k 2
done
riposte search iiu.rip '+wing -jet "thin air"' --processor iiu --variant iiu --json --no-snippets | grep -o '"processor":"[a-z]*"\|"operations":[0-9]*'
riposte search iiu.rip 'wing^1000' --processor iiu --variant iiu; echo $?
# One search opens no card, however the GPU is called.
riposte search my.rip jet --gpu emulated --json --no-snippets | grep -o '"processor":"[a-z]*"\|"launches":[0-9]*'
