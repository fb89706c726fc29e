# help.awk: the targets of a Makefile, from their "## text" comments, in chapters from "##@ title".
BEGIN { FS = ":.*## "; print "make TARGET, where TARGET is one of" }
/^##@ / { printf "\n%s\n", substr($0, 5) }
/^[a-z][a-z0-9-]*:.*## / { printf "  %-13s %s\n", $1, $2 }
END { print "\nVariables: B (folder), CC, OPT, SAN, PREFIX, DESTDIR, MINUTES, SEED, LISTS, SHARDS, FUZZ, DATADIR." }
