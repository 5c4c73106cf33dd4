//go:build linux && cgo

#include "numbers.h"

// reach makes a level hold a word.
static int reach(struct svb_numbers *n, int l, uint32_t word)
{
	uint32_t words = n->words[l] ? n->words[l] : 1;
	uint64_t *grown;

	if (word < n->words[l])
		return 0;
	while (words <= word)
		words *= 2;
	grown = realloc(n->level[l], words * sizeof *grown);
	if (!grown)
		return ENOMEM;
	memset(grown + n->words[l], 0, (words - n->words[l]) * sizeof *grown);
	n->level[l] = grown;
	n->words[l] = words;
	return 0;
}

int svb_number_take(struct svb_numbers *n, uint32_t *number)
{
	uint32_t at = 0, i;
	int l, err;

	for (l = SVB_NUMBER_LEVELS - 1; l >= 0; l--) {
		err = reach(n, l, at);
		if (err || n->level[l][at] == UINT64_MAX) // the latter at the top alone
			return ENOMEM;
		at = at * 64 + (uint32_t)__builtin_ctzll(~n->level[l][at]);
	}
	for (l = 0, i = at; l < SVB_NUMBER_LEVELS; l++, i /= 64) {
		n->level[l][i / 64] |= UINT64_C(1) << i % 64;
		if (n->level[l][i / 64] != UINT64_MAX)
			break;
	}
	*number = at;
	return 0;
}

void svb_number_give(struct svb_numbers *n, uint32_t number)
{
	bool full = true;
	int l;

	for (l = 0; l < SVB_NUMBER_LEVELS && full; l++, number /= 64) {
		full = n->level[l][number / 64] == UINT64_MAX;
		n->level[l][number / 64] &= ~(UINT64_C(1) << number % 64);
	}
}

void svb_numbers_free(struct svb_numbers *n)
{
	int l;

	for (l = 0; l < SVB_NUMBER_LEVELS; l++)
		free(n->level[l]);
}
