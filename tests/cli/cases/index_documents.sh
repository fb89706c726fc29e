# HTML, a wiki's dump, a mailbox in Latin-1 and a git log.
printf '<!doctype html><title>Foxes &amp; co</title><style>fox{}</style><p>A <b>r</b>ed fox<script>var fox</script>' >page
riposte index -q page -o ix && riposte search -q ix red
printf '<mediawiki>\n<page><title>Fox</title><id>7</id><revision><text>A '"'''red'''"' [[fox|vixen]] {{cite|fox}}</text></revision></page>\n</mediawiki>\n' >dump.xml
riposte index -q dump.xml -o ix && riposte search -q ix vixen
printf 'From a@b Mon Jan  1 10:00:00 2024\nMessage-ID: <1@b>\nSubject: r\351sum\351\n\nUn renard, d\351j\340 vu.\n\nFrom a@b Mon Jan  1 10:01:00 2024\nMessage-ID: <1@b>\nSubject: again\n\nthe same id\n' >mail
riposte index mail -o ix | head -1; riposte search -q ix 'renard OR same'
printf 'commit 0123456789012345678901234567890123456789\nAuthor: Ann <a@b>\nDate:   Mon Jan 1\n\n    Add a fox\n\n    It is red.\n' |
    riposte index -q - -o ix && riposte search -q ix red
