// The headers of a frame.
#ifndef CARD_PARSE_H
#define CARD_PARSE_H

#include "wire/frame.h"

// parse_frame reads a frame, which has an Ethernet header at least.
void parse_frame(const uint8_t *frame, size_t n, struct headers *) HIDDEN;

#endif
