riposte help --format man | head -8
riposte help --format markdown check
