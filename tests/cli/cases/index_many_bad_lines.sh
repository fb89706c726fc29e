yes '{"id":' | head -100 >bad.jsonl
cat docs.jsonl >>bad.jsonl
riposte index bad.jsonl -o new.rip --on-error=skip | head -2
