// A capture of what arrives at queue pairs, as packets of RoCE v2, in the file that CARD_PCAP names.
#ifndef CARD_PCAP_H
#define CARD_PCAP_H

#include "wire/arrive.h"

// pcap_message writes the packets of a request, and those of the answer that its status stands for.
void pcap_message(const struct source *, const struct target *, const struct request *, int status, uint32_t rnr_timer) HIDDEN;

#endif
