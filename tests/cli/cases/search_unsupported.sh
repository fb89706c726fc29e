# Fields and ranges are errors until there are some; in quotes they are text.
riposte search my.rip 'title:gcc'; echo $?
riposte search my.rip 'wing date:[2020 TO 2021]'; echo $?
riposte search my.rip 'wing [2020 TO 2021]'; echo $?
riposte search my.rip '"title:gcc" "2020 TO 2021" wing' -q --no-snippets; echo $?
riposte search my.rip 'title:gcc [a TO b] wing' --plain -q --no-snippets; echo $?
