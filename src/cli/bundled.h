/* cli/bundled.h: the files that come with the program: the demo's collection, and configurations of
 * the simulator. */
#ifndef RP_CLI_BUNDLED_H
#define RP_CLI_BUNDLED_H

#include "riposte/status.h"

enum { RP_BUNDLED_BYTES = 4096 }; /* of a path */

/* The path of a file that can be read: beside the program (installed, or in a build folder of the
 * source tree), in the folder of `make install`, or in the source tree as working directory.
 * `installed` is its path in share/riposte, `in_tree` the one in the source tree. RP_IO: it is
 * nowhere. */
rp_status rp__bundled_find(const char *installed, const char *in_tree, char out[RP_BUNDLED_BYTES],
                           rp_error *err);

#endif
