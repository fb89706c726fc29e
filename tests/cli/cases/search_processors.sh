riposte search my.rip jet --processor cpu --no-snippets
riposte search my.rip jet --processor auto --no-snippets
riposte search my.rip jet --processor iiu; echo $?
riposte search my.rip jet --processor iiu --json; echo $?
