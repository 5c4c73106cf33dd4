#ifndef OVERLAY_H
#define OVERLAY_H

#include <stdint.h>

// Sets the real functions that the overlay stands before.
void overlay_init(uintptr_t open_device, uintptr_t reg_mr_iova2);

// The function to be called in place of ibv_open_device.
uintptr_t overlay_open_device(void);

#endif
