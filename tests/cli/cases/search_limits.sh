riposte search my.rip 'a b c d' --max-terms 3; echo $?
riposte search my.rip 'a b c' --max-terms 3 -q --no-snippets; echo $?
riposte search my.rip '((((wing))))' --max-depth 3; echo $?
riposte search my.rip '((((wing))))' --max-depth 4 -q --no-snippets; echo $?
riposte search my.rip 'w*' --max-expansions 1; echo $?
riposte search my.rip '"a b c"' --max-phrase 2; echo $?
riposte search my.rip '"a b"~9' --max-slop 8; echo $?
riposte search my.rip '"a b"~8' --max-slop 8 -q; echo $?
riposte search my.rip 'wing flow lift' --max-query 10; echo $?
riposte search my.rip 'wing lift' --max-work 1; echo $?
work=$(riposte search my.rip 'wing lift' --json | sed 's/.*"work":\([0-9]*\).*/\1/')
riposte search my.rip 'wing lift' --max-work $((work - 1)); echo $?
riposte search my.rip 'wing lift' --max-work $work -q --no-snippets; echo $?
