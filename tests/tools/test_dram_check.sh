#!/bin/bash
# Does tools/dram_check find nothing in what the memory model does, and object when the model goes below
# any minimum by one clock, or refreshes a clock too seldom? A parameter is tried on traffic until it binds.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
riposte=${RIPOSTE:-build/riposte}
case $riposte in /*) ;; *) riposte=$PWD/$riposte ;; esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
"${CC:-cc}" -std=c11 -O2 "$root/tools/dram_check.c" -o dram_check || exit 1

verdict() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: $2, not $3"; fi; }
trace() { # STANDARD CONTROLLER SETTINGS OPTION...: its commands on stdout
    local standard=$1 controller=$2 settings=$3
    shift 3
    "$riposte" bench dram -q --standard "$standard" --controller "$controller" --set "$settings" --loads '' \
        --trace trace "$@" >log 2>&1 || { cat log; return; }
    cat trace
}

# Random reads and writes, rows that are read for long, one bank group, one bank, mixes, two speeds.
traffic=(
    "--traffic rand --requests 3000 --window 128"
    "--traffic rand --requests 3000 --window 64 --writes 40"
    "--traffic streams --streams 16 --requests 4000"
    "--traffic stride --stride 1024 --requests 2000 --writes 50"
    "--traffic stride --stride 1024 --requests 2000"
    "--traffic stride --stride 2048 --requests 2000 --writes 100"
    "--traffic stride --stride 4096 --requests 2000 --writes 100"
    "--traffic seq --requests 4000 --writes 30"
    "--traffic seq --requests 3000 --writes 100"
    "--traffic seq --requests 8000 --window 256"
    "--traffic stride --stride 33554432 --requests 1000 --writes 20"
    "--traffic stride --stride 16384 --requests 4000 --window 256"
)

# Every controller on every standard keeps the rules.
clean() { # STANDARD CONTROLLER SETTINGS KEY...
    local bad=0 args=("$1" "$2" "$3")
    for t in "${traffic[@]}"; do
        trace "${args[@]}" $t | ./dram_check "$1" "${@:4}" >found || { bad=$((bad + 1)); head -n 3 found; }
    done
    verdict "$1_$2_${3:-plain}" $bad 0
}
for standard in ddr4-2400 ddr5-4800 hbm2 hbm2-pc hbm3; do
    clean $standard r21 ''
    clean $standard frfcfs ''
done
clean ddr4-2400 compat '' rtw=10
clean ddr4-2400 compat ranks=4 rtw=10
clean ddr4-2400 r21 ranks=2
clean ddr4-2400 frfcfs ranks=4
clean hbm2 compat '' act=1

# objects NAME STANDARD SETTINGS RULE KEY...: with these settings some traffic breaks the rule.
objects() {
    local name=$2_$1 standard=$2 settings=$3 rule=$4
    shift 4
    for t in "${traffic[@]}"; do
        if trace "$standard" r21 "$settings" $t | ./dram_check "$standard" "$@" | grep -q ": $rule\( \|$\)"; then
            echo "ok $name"
            return
        fi
    done
    echo "not ok $name: $settings breaks no rule $rule"
}
# lower STANDARD KEY VALUE RULE
lower() { objects "$2" "$1" "$2=$(($3 - 1))" "$4"; }

s=ddr4-2400
lower $s rcd_rd 17 'RCD (RD)'; lower $s rcd_wr 17 'RCD (WR)'; lower $s rp 17 RP; lower $s ras 39 RAS
objects rc $s rc=55,ras=38 RC ras=38
lower $s rrd_s 4 RRD_S; lower $s rrd_l 6 RRD_L; lower $s faw 26 FAW
lower $s ccd_s 4 CCD_S; lower $s ccd_l 6 CCD_L; lower $s ccd_s_wr 4 CCD_S_WR; lower $s ccd_l_wr 6 CCD_L_WR
lower $s wtr_s 3 WTR_S; lower $s wtr_l 9 WTR_L; lower $s rtw 11 RTW
lower $s wr 18 WR; lower $s rtp 9 RTP; lower $s rfc 420 RFC
objects rtrs $s ranks=2,rtrs=0 'RTRS (RD, RD)'; objects rtrs_rd_wr $s ranks=2,rtrs=0 'RTRS (RD, WR)'
s=ddr5-4800
lower $s rcd_rd 39 'RCD (RD)'; lower $s rcd_wr 39 'RCD (WR)'; lower $s rp 39 RP; lower $s ras 77 RAS
objects rc $s rc=115,ras=76 RC ras=76
lower $s rrd_s 8 RRD_S; lower $s rrd_l 12 RRD_L
objects faw $s faw=31,rrd_s=7 FAW rrds=7
lower $s ccd_s 8 CCD_S; lower $s ccd_l 12 CCD_L; lower $s ccd_s_wr 8 CCD_S_WR; lower $s ccd_l_wr 48 CCD_L_WR
lower $s wtr_s 6 WTR_S; lower $s wtr_l 24 WTR_L; lower $s rtw 14 RTW
lower $s wr 72 WR; lower $s rtp 18 RTP; lower $s ppd 2 PPD; lower $s rfc 708 RFC
s=hbm2
lower $s rcd_rd 14 'RCD (RD)'; lower $s rcd_wr 14 'RCD (WR)'; lower $s rp 14 RP; lower $s ras 34 RAS
objects rc $s rc=47,ras=33 RC ras=33
lower $s rrd_s 4 RRD_S; lower $s rrd_l 6 RRD_L; lower $s faw 30 FAW
lower $s wtr_s 6 WTR_S; lower $s wtr_l 8 WTR_L; lower $s rtw 14 RTW
lower $s wr 16 WR; lower $s rtp 6 RTP; lower $s rfc 260 RFC
lower $s ccd_s 2 CCD_S; lower $s ccd_s_wr 2 CCD_S_WR
objects ccd_l $s ccd_l=1,ccd_s=1 CCD_L; objects ccd_l_wr $s ccd_l_wr=1,ccd_s_wr=1 CCD_L_WR
s=hbm2-pc
lower $s rcd_rd 14 'RCD (RD)'; lower $s rcd_wr 12 'RCD (WR)'; lower $s rp 14 RP; lower $s ras 34 RAS
objects rc $s rc=47,ras=33 RC ras=33
objects faw $s faw=14,rrd_s=3,rrd_l=3 FAW rrds=3 rrdl=3
objects rrd_s $s rrd_s=3,rrd_l=3,faw=14 RRD_S; objects rrd_l $s rrd_s=3,rrd_l=3,faw=14 RRD_L
lower $s ccd_s 2 CCD_S; lower $s ccd_l 4 CCD_L; lower $s ccd_s_wr 2 CCD_S_WR; lower $s ccd_l_wr 4 CCD_L_WR
lower $s wtr_s 6 WTR_S; lower $s wtr_l 8 WTR_L; lower $s rtw 13 RTW
lower $s wr 16 WR; lower $s rtp 5 RTP; lower $s rfc 260 RFC
s=hbm3
lower $s rcd_rd 31 'RCD (RD)'; lower $s rcd_wr 15 'RCD (WR)'; lower $s rp 26 RP; lower $s ras 45 RAS
lower $s rc 72 RC; lower $s rrd_s 4 RRD_S; lower $s rrd_l 5 RRD_L
lower $s faw 24 FAW; lower $s ccd_s 2 CCD_S; lower $s ccd_l 4 CCD_L; lower $s ccd_s_wr 2 CCD_S_WR
lower $s ccd_l_wr 4 CCD_L_WR
lower $s wtr_s 7 WTR_S; lower $s wtr_l 10 WTR_L; lower $s rtw 20 RTW
lower $s wr 33 WR; lower $s rtp 9 RTP; lower $s ppd 2 PPD; lower $s rfc 560 RFC

# A refresh interval one clock too long adds up: 560 refreshes or more of a memory that is nearly idle.
slow="--traffic rand --window 1 --requests 100000"
refresh() { # STANDARD REFI
    trace "$1" r21 '' $slow | ./dram_check "$1" postpone=300 >/dev/null
    verdict "$1_refi_holds" $? 0
    trace "$1" r21 refi=$(($2 + 1)) $slow | ./dram_check "$1" postpone=300 | grep -q 'REFI: the refresh is late'
    verdict "$1_refi_too_long" $? 0
}
refresh ddr4-2400 9360; refresh ddr5-4800 9360; refresh hbm2 3900; refresh hbm2-pc 3900; refresh hbm3 6240

# Ten million commands of each controller.
if [ -n "${RIPOSTE_THOROUGH:-}" ]; then
    mkfifo commands
    for controller in r21 frfcfs compat; do
        "$riposte" bench dram -q --controller $controller --writes 30 --requests 3400000 --loads '' \
            --trace commands >/dev/null &
        ./dram_check ddr4-2400 "$([ $controller = compat ] && echo rtw=10 || echo rtw=11)" <commands >found
        verdict "${controller}_long" "$(sed -n 's/^\([0-9]*\)[0-9]\{7\} commands .*: \(.*\)/\1 \2/p' found)" "1 0 faults"
        wait
    done
fi

# Commands that queries produce: ten million of them with RIPOSTE_THOROUGH.
"$riposte" synth -q ccnews --docs "${RIPOSTE_THOROUGH:+100}5000" --queries 100 -o made >/dev/null &&
    "$riposte" export -q iiu made -o made.iiu >/dev/null
for mode in or and single; do
    "$riposte" sim -q made.iiu made.queries.tsv --mode $mode --set dl=line --commands commands.$mode >/dev/null
    ./dram_check ddr4-2400 <commands.$mode >found
    verdict "queries_$mode" "$(sed -n 's/.* commands .*: //p' found)" "0 faults"
done
n=$(cat commands.or commands.and commands.single | wc -l)
least=$([ -n "${RIPOSTE_THOROUGH:-}" ] && echo 10000000 || echo 10000)
verdict "queries_have_$least" "$([ "$n" -ge "$least" ] && echo enough || echo "$n")" enough
sed 's/ RD$/ WR/' commands.and | ./dram_check ddr4-2400 >/dev/null
verdict queries_as_writes $? 1

# Traces that no model made: states, buses and bad lines.
found() { # NAME RULE LINE...
    printf '%s\n' "${@:3}" | ./dram_check hbm3 | grep -q ": $2\( \|$\)"
    verdict "$1" $? 0
}
found open_twice 'ACT of an open bank' '1 0 0 0 0 5 ACT' '301 0 0 0 0 6 ACT'
found other_row 'the row is not open' '1 0 0 0 0 5 ACT' '301 0 0 0 0 6 RD'
found close_closed 'PRE of a closed bank' '2 0 0 0 0 0 PRE'
found refresh_open 'REF with an open bank' '1 0 0 0 0 5 ACT' '301 0 0 0 0 0 REF'
found falling_edge 'starts on a falling edge' '2 0 0 0 0 5 ACT'
found row_bus 'command bus' '1 0 0 0 0 5 ACT' '3 0 1 0 0 5 ACT'
found data_bus 'data bus' '1 0 0 0 0 5 ACT' '11 0 0 1 0 5 ACT' '301 0 0 0 0 5 RD' '303 0 0 1 0 5 RD'
found paired_edge 'PRE on the paired edge' '1 0 0 0 0 5 ACT' '301 0 0 0 0 0 PREA' '302 0 0 0 0 0 PREA'
found no_refresh 'REFI: refreshes are missing' '1 0 0 0 0 5 ACT' '99999 0 0 0 0 5 RD'
printf '1 0 0 9 0 5 ACT\n' | ./dram_check hbm3 2>/dev/null
verdict bad_group $? 2
printf '5 0 0 0 0 5 ACT\n4 0 0 0 1 5 ACT\n' | ./dram_check hbm3 2>/dev/null
verdict time_goes_back $? 2
./dram_check ddr9 </dev/null 2>/dev/null
verdict no_such_standard $? 2
./dram_check hbm3 foo=1 </dev/null 2>/dev/null
verdict no_such_key $? 2
