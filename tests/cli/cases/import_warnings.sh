# A header that tells of 9 tokens where there are 8; then of 1,000 documents, of which two are here.
tail='\x0b\x0a\x01a\x10\x01\x18\x01\x22\x02\x10\x01\x05\x12\x01x\x18\x04\x07\x08\x01\x12\x01y\x18\x04'
printf '\x0c\x08\x01\x10\x01\x18\x02\x20\x01\x28\x02\x30\x09'"$tail" >odd.ciff
riposte import ciff odd.ciff -o new.rip
riposte import -q ciff odd.ciff -o new.rip && riposte check new.rip
printf '\x0e\x08\x01\x10\x01\x18\x02\x20\x01\x28\xe8\x07\x30\xa0\x1f'"$tail" >part.ciff
riposte import ciff part.ciff -o part.rip && riposte check part.rip && riposte stats part.rip | sed -n 1,6p
riposte export ciff part.rip -o - | riposte import -q ciff - -o again.rip && diff -r part.rip again.rip && echo the same
riposte export pisa part.rip -o part
