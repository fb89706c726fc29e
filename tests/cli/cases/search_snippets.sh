riposte search my.rip 'boundary layer'
