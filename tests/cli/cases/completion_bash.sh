riposte completion bash >c.bash && bash -n c.bash && . ./c.bash
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _riposte; echo "${COMPREPLY[*]}"; }
try riposte ''
try riposte s
try riposte search my.rip --mode ''
try riposte index --no
try riposte index --codec ''
try riposte search doc
try riposte b
try riposte bench ''
try riposte bench codecs --is
