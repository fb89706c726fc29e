riposte search -q my.rip 'What is a "boundary-layer" (NOT a jet)?' --plain --no-snippets --k 2
riposte search -q my.rip 'wing AND' --plain --no-snippets --k 1 --json | cut -c1-60
