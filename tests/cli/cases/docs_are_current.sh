# docs/cli.md is what the tables say; to renew it: build/riposte help --format markdown > docs/cli.md
riposte help --format markdown | cmp - "$ROOT/docs/cli.md" && echo same
