# --help wins over missing operands, and --help and -h alone are the overview.
riposte search --help | head -1
riposte index -h | head -1
riposte --help | head -1
riposte -h | head -1
