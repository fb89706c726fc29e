riposte help
