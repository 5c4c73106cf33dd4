// Copies between lists of pieces.
#ifndef CARD_COPY_H
#define CARD_COPY_H

#include "wire/format.h"

// copy_pieces copies length bytes; to begins skip bytes into its list. It returns false if the process has taken memory away that it
// registered, where a real card would still reach the pages that it pinned.
bool copy_pieces(const struct piece *to, int nto, uint64_t skip, const struct piece *from, int nfrom, uint64_t length) HIDDEN;

// copy_cut shortens a list to its first bytes: of a receive, a card looks at the memory that a message fills.
void copy_cut(struct piece *, int *n, uint64_t length) HIDDEN;

// copy_reachable reports whether all pages of a range can be written.
bool copy_reachable(uint8_t *memory, uint64_t length) HIDDEN;

#endif
