# The query and a caret below the fault; a long one is cut around it, and nothing in it steers a terminal.
riposte search my.rip 'wing AND AND lift'
riposte search my.rip 'naïve 漢字 ('
riposte search my.rip "$(printf 'a\033[31m\tb (')"
riposte search my.rip "$(printf 'word%.0s ' $(seq 30)) ) and then some more words after it that do not fit on the line either"
riposte search my.rip "( $(printf 'word%.0s ' $(seq 30))"
riposte search my.rip "$(printf 'w\xff')"
