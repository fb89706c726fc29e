riposte version
riposte --version | head -1
riposte version --json >v.json && is_json v.json && cat v.json
