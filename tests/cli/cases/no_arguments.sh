riposte
