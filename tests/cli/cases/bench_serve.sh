printf 'TOP_10\twing\nCOUNT\twing flow\nTOP_5_COUNT\t+wing +flow\nUNOPTIMIZED_COUNT\t"boundary layer"\n' >in
printf 'COUNT\tnosuchword\nTOP_0\twing\nTOP_10000\twing\nTOP_10001\twing\nTOP_5_SUM\twing\nCOUNT\t(\n' >>in
printf 'COUNT\nnonsense\n\nCOUNT\twing\r\nTOP_1\ta\nTOP_2\ta\nTOP_3\ta\nTOP_4\ta\nTOP_6\ta\nTOP_7\ta\nTOP_1\ta' >>in
riposte bench-serve my.rip <in | paste -sd' '; echo ${PIPESTATUS[0]}
{ printf 'COUNT\t'; head -c 100000 /dev/zero | tr '\0' a; printf '\nCOUNT\twing\n'; } | riposte bench-serve my.rip
riposte bench-serve nowhere; echo $?
