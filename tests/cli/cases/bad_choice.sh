riposte search my.rip wing --mode ander; echo $?
riposte search my.rip wing --processor tpu; echo $?
riposte search my.rip wing --variant lucen; echo $?
riposte index docs.jsonl -o new.rip --codec zip; echo $?
riposte index docs.jsonl -o new.rip --stem esperanto; echo $?
riposte index docs.jsonl -o new.rip --tokens words; echo $?
riposte index docs.jsonl -o new.rip --on-error ignore; echo $?
riposte help --format pdf; echo $?
