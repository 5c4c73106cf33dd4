// All files, which are one for the compiler.
#include "efa/pages.c"
#include "efa/queues.c"
#include "efa/format.c"
#include "efa/driver.c"
