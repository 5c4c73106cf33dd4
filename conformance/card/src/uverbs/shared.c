// The sources of runtime/softverbs/shared, which the Go part puts into the folder softverbs.
#include <infiniband/verbs.h>

#include "softverbs/frame.c"
#include "softverbs/transition.c"
