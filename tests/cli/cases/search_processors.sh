riposte search my.rip jet --processor cpu --no-snippets
riposte search my.rip jet --processor auto --no-snippets
riposte search my.rip jet --processor iiu; echo $?
riposte search my.rip jet --processor iiu --json; echo $?
# One search opens no card, however the GPU is called.
riposte search my.rip jet --gpu emulated --json --no-snippets | grep -o '"processor":"[a-z]*"\|"launches":[0-9]*'
