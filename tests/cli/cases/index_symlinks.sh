# A link in place of a file of the index is refused by name; a link to the whole folder is fine.
mv my.rip/docs.00000001.rp elsewhere
ln -s ../elsewhere my.rip/docs.00000001.rp
riposte search my.rip wing; echo $?
riposte check my.rip; echo $?
rm my.rip/docs.00000001.rp
mv elsewhere my.rip/docs.00000001.rp
mv my.rip/manifest.rp elsewhere
ln -s ../elsewhere my.rip/manifest.rp
riposte stats my.rip; echo $?
rm my.rip/manifest.rp
mv elsewhere my.rip/manifest.rp
ln -s my.rip link.rip
riposte check link.rip
