// Numbers that are given out, the lowest free one first.
#ifndef SVB_NUMBERS_H
#define SVB_NUMBERS_H

#include "base.h"

#define SVB_NUMBER_LEVELS 4 // of 6 bits each

// A bit for each number says that it is taken; a bit of the next level says that 64 bits are all set. So the lowest free number is
// found in four steps, among many as among few. All zero, none is taken.
struct svb_numbers {
	uint64_t *level[SVB_NUMBER_LEVELS];
	uint32_t words[SVB_NUMBER_LEVELS]; // those beyond count as 0
};

SVB_HIDDEN int svb_number_take(struct svb_numbers *n, uint32_t *number); // ENOMEM: no memory, or all 2^24 are taken
SVB_HIDDEN void svb_number_give(struct svb_numbers *n, uint32_t number);
SVB_HIDDEN void svb_numbers_free(struct svb_numbers *n);

#endif
