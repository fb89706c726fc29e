riposte search my.rip 'wnig lift' --no-snippets
riposte search my.rip 'boundry layr' --no-snippets
riposte search my.rip 'boundry' --json
riposte search my.rip 'wing -wnig wni* xyzzyxyzzy' --no-snippets
riposte search my.rip '"boundry layer"' --no-snippets
riposte search my.rip 'wnig wnig (lfit OR wing)' --no-snippets -q
