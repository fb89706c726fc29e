# What becomes of a text, by options and by an index.
riposte analyze "Napoleon's cafés, Beyoncé’s 東京都 한국어"
riposte analyze --keep-possessive --no-fold "Napoleon's cafés"
riposte analyze --stem english --stop english "The dogs' and the cats"
riposte analyze --stem french --stop french "les élections et les forêts"
riposte analyze --tokens split "can't foo_bar, 東京都"
riposte analyze --tokens whitespace "C++ (x) don't"
riposte analyze --tokens bigram "Hello"
riposte analyze "" && echo nothing
riposte index -q docs.jsonl -o stemmed.rip --stem porter --stop lucene
riposte analyze stemmed.rip "the flying wing's edge"
riposte analyze stemmed.rip "the wing's" --json
riposte analyze stemmed.rip "the wing's" --json >out.json && is_json out.json && echo JSON
riposte analyze; echo $?
riposte analyze stemmed.rip --stem porter wings; echo $?
riposte analyze --stem porter --tokens bigram wings; echo $?
riposte analyze --stem klingon wings; echo $?
riposte analyze --tokens letters wings; echo $?
riposte analyze --stop nosuchlist wings; echo $?
riposte analyze nosuch.rip wings; echo $?
