# '*' and '?' stand for letters outside a phrase alone; inside one they are no silent punctuation.
for q in '"boundary l*"' '"bound?ry layer"' '"lift * a wing"' '"lift ?f"' '"é l*"'; do
    riposte search my.rip "$q" -q; echo $?
done
for q in '"the lift of?!"' '"lift ? of!" -jet' '"boundary l\*"' '"bound\?ry layer"' '"what?" OR "(lift?)"'; do
    echo "== $q"
    riposte search my.rip "$q" --no-snippets -q; echo $?
done
printf '1\t"boundary l*" "bound?ry\n' | riposte batch my.rip - -q
printf '1\t"boundary l*"\n' | riposte batch my.rip - -q --syntax; echo $?
