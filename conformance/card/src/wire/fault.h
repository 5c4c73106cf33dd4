// What goes wrong at the devices, from outside of the process: Card.SetFaults writes it to a file in the folder that CARD_WIRE names.
#ifndef CARD_FAULT_H
#define CARD_FAULT_H

#include "base.h"

// The file has one for each device, in this form (faults.go).
struct fault {
	uint32_t lost;    // requests of a million
	uint32_t delay;   // of each request, us
	uint32_t down;    // the port
	uint32_t removed; // the device
};

// fault_of returns what goes wrong at a device now.
struct fault fault_of(const struct device *) HIDDEN;

// fault_cuts reports whether nothing comes from a device or to it.
bool fault_cuts(const struct device *) HIDDEN;

// fault_loses reports whether the next request of a device gets lost.
bool fault_loses(const struct device *) HIDDEN;

// fault_tell tells the programs of ports that go down or come up, and of devices that go.
void fault_tell(void) HIDDEN;

#endif
