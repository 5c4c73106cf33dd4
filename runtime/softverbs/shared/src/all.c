// All files, for those who compile them as one.
#include "frame.c"
#include "transition.c"
