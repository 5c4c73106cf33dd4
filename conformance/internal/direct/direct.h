#include <stdint.h>
#include "abi.gen.h"

uintptr_t direct_pattern_device(void);
uintptr_t direct_pattern_port(void);
