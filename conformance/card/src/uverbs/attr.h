// The attributes of a command: struct ib_uverbs_ioctl_hdr of rdma_user_ioctl_cmds.h.
#ifndef CARD_ATTR_H
#define CARD_ATTR_H

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "uverbs/object.h"

struct call {
	struct context *ctx;
	struct device *dev;
	struct ib_uverbs_ioctl_hdr *hdr;
	const struct method *method;
};

// attr returns an attribute, or NULL.
struct ib_uverbs_attr *attr(const struct call *, uint16_t id) HIDDEN;

// attr_in copies an input to a struct, with zeros for what is not given, and returns the length of what is given.
size_t attr_in(const struct call *, uint16_t id, void *to, size_t size) HIDDEN;

// attr_pointer returns where an input lies.
const void *attr_pointer(const struct call *, uint16_t id, size_t *length) HIDDEN;

// attr_number returns a number, handle, flag set or descriptor.
uint64_t attr_number(const struct call *, uint16_t id, uint64_t otherwise) HIDDEN;

// attr_object looks up the object whose handle an attribute has.
void *attr_object(const struct call *, uint16_t id, int type) HIDDEN;

// destroys is what runs a method that ends an object: its row names the attribute with the handle, and the one that says how many events of
// the object were read, or 0.
void destroys(const struct call *) HIDDEN;

// attr_out writes an output, as much of it as there is room for, and zeros behind it (uverbs_copy_to_struct_or_zero).
void attr_out(const struct call *, uint16_t id, const void *from, size_t size) HIDDEN;
void attr_out32(const struct call *, uint16_t id, uint32_t value) HIDDEN;

// attr_created answers the handle of a new object.
void attr_created(const struct call *, uint16_t id, uint64_t value) HIDDEN;

#define ATTR_IN(call, id, var) attr_in((call), (id), &(var), sizeof(var))
#define ATTR_OUT(call, id, var) attr_out((call), (id), &(var), sizeof(var))

#endif
