# Files of the same name: with several paths, ids are the paths as given.
mkdir a b
echo 'red fox' >a/x.txt
echo 'blue fox' >b/x.txt
riposte index -q a/ b -o ix && riposte search -q ix fox --no-snippets
echo '== one path'
riposte index -q a -o ix && riposte search -q ix fox --no-snippets
echo '== the same twice'
riposte index a a -o ix; echo $?
