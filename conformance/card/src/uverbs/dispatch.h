// The commands of a device: ioctl(RDMA_VERBS_IOCTL).
#ifndef CARD_DISPATCH_H
#define CARD_DISPATCH_H

#include "uverbs/provider.h"

// A command of the older interface, which comes as an attribute of INVOKE_WRITE.
struct command {
	uint32_t number;
	void (*run)(const struct call *);
	size_t request, response; // the sizes of its structs, at least
};

// dispatch does a command and returns its error. It takes the lock.
int dispatch(struct context *, struct ib_uverbs_ioctl_hdr *) HIDDEN;

// The tables, each in the file of its family; the last entry has no run.
extern const struct method device_methods[], domain_methods[], memory_methods[], paging_methods[], cq_methods[], srq_methods[],
	wq_methods[], qp_methods[], flow_methods[] HIDDEN;
extern const struct command device_commands[], domain_commands[], memory_commands[], cq_commands[], srq_commands[], wq_commands[],
	qp_commands[], flow_commands[] HIDDEN;

#define EXTENDED(n) (IB_USER_VERBS_CMD_FLAG_EXTENDED | (uint32_t)(n))

#endif
