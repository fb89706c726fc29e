# What differs from machine to machine is held to its form.
shape() { sed -E -e 's/^(cpu  +).*, [0-9]+ cores?$/\1MODEL, N cores/' -e 's/^(libraries  +).*zstd [0-9.]+, zlib [0-9.]+, xxhash [0-9.]+, utf8proc [0-9.]+, libstemmer \(names no version\)$/\1FIVE/' \
    -e 's/^(avx2|avx512)( +)(in use|absent: the CPU has no [a-z0-9]+)$/\1\2STATE/' -e 's/[0-9.]+ [KMGT]iB/SIZE/g' -e '/^TMPDIR/d'; }
unset TMPDIR ${!RIPOSTE_*}
riposte doctor --gpu emulated | shape
riposte doctor --gpu emulated --json > d.json && is_json d.json && grep -o '"gpus":[^]]*]' d.json
grep -o '{"name":"disk","state":"ok"' d.json
riposte doctor --gpu second | grep ^gpu
riposte doctor extra; echo $?
echo -- environment
RIPOSTE_SIMD=scalar NO_COLOR=1 riposte doctor | sed -nE 's,^avx2 .*(hides it|absent.*)$,avx2 hidden,p; /^[A-Z]/p'
RIPOSTE_SIMD=avx3 riposte doctor | grep ^RIPOSTE; echo ${PIPESTATUS[0]}
RIPOSTE_SIMD=avx3 riposte doctor --json >d.json; echo $?
is_json d.json && grep -o '{"name":"RIPOSTE_SIMD"[^}]*}' d.json
RIPOSTE_SIMD=avx3 riposte search my.rip wing; echo $?
RIPOSTE_GPU=first riposte doctor | grep ^RIPOSTE; echo ${PIPESTATUS[0]}
RIPOSTE_GPU=emulated,0 riposte doctor | grep ^RIPOSTE
RIPOSTE_GPU=0, riposte version; echo $?
echo -- settings
RIPOSTE_MAX_BODY=4096 riposte doctor | grep -E "^(environment|RIPOSTE)"
RIPOSTE_MAX_BODY=4096 riposte doctor --settings | grep -E "^(environment|RIPOSTE|max-body)"
riposte doctor --config none.conf; echo $?
