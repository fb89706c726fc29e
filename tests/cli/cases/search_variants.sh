for variant in lucene pisa robertson atire dirichlet iiu; do
    echo "== $variant"
    riposte search -q my.rip 'wing lift' --variant $variant --no-snippets --k 3
done
riposte search -q my.rip 'wing lift' --k1 0.9 --b 0.4 --no-snippets --k 3
riposte search -q my.rip 'wing lift' --k1 0 --b 0 --no-snippets --k 3
riposte search -q my.rip 'wing lift' --variant dirichlet --mu 10 --no-snippets --k 3
