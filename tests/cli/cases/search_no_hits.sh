riposte search my.rip xyzzy
riposte search my.rip xyzzy --json
riposte search -q my.rip xyzzy
