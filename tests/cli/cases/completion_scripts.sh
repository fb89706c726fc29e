riposte completion fish | grep -- '-l stem'
riposte completion zsh | grep -- '--mode\['
riposte completion zsh | zsh -n 2>/dev/null || command -v zsh >/dev/null && echo bad
riposte completion fish --json >c.json && is_json c.json && echo sound
riposte completion ksh
