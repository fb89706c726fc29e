# clocks depend on nothing but the options; the machine and its speed are left out
riposte bench dram --controller r21 --requests 2000 --loads 10,50 | sed -e 1d -e 's/; simulated.*//'
riposte bench dram --standard hbm3 --writes 25 --requests 1000 --loads '' --json |
    sed -e 's/.*"settings"/"settings"/' -e 's/,"clocks_per_second":[0-9]*//'
riposte bench dram --controller compat --set ranks=2,cl=16 --traffic stride --stride 4096 --requests 500 --loads '' \
    --trace trace | sed -n 's/^closed loop.*/&/p'
head -n 3 trace
riposte bench dram --set cl=0
riposte bench dram --set volume=3
riposte bench dram --set cl
riposte bench dram --loads 10,many
riposte bench dram --trace no/such/folder/trace --requests 10
riposte bench dram --standard ddr9
exit 0
