riposte help serch
