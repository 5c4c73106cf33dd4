//go:build linux && cgo

package dptest

/*
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include "../../../verbs_abi.h"

enum { DP_OPS = 8 };

// A shared receive queue with tags.
struct dp_tags {
	struct verbs_context v;
	struct ibv_srq srq;
	int refuse; // number of the operation that is refused, -1 none
	int count;
	struct ibv_ops_wr seen[DP_OPS];
	struct ibv_sge last[DP_OPS]; // element of each
};

static int dp_post_ops(struct ibv_srq *srq, struct ibv_ops_wr *wr, struct ibv_ops_wr **bad)
{
	struct dp_tags *t = (struct dp_tags *)((char *)srq - offsetof(struct dp_tags, srq));

	for (t->count = 0; wr != NULL; wr = wr->next) {
		if (t->count == t->refuse || t->count == DP_OPS) {
			*bad = wr;
			return ENOMEM;
		}
		t->last[t->count] = wr->tm.add.num_sge > 0 ? wr->tm.add.sg_list[wr->tm.add.num_sge - 1] : (struct ibv_sge){0};
		t->seen[t->count] = *wr;
		if (wr->opcode == IBV_WR_TAG_ADD)
			wr->tm.handle = 100 + t->count;
		t->count++;
	}
	return 0;
}

static struct dp_tags *dp_tags_new(void)
{
	struct dp_tags *t = calloc(1, sizeof *t);

	if (t == NULL)
		return NULL;
	t->refuse = -1;
	t->v.sz = sizeof t->v;
	t->v.context.abi_compat = (void *)UINTPTR_MAX;
	t->v.post_srq_ops = dp_post_ops;
	t->srq.context = &t->v.context;
	return t;
}

static void dp_tags_lack(struct dp_tags *t, int how)
{
	if (how == 0)
		t->v.post_srq_ops = NULL;
	else if (how == 1)
		t->v.sz = sizeof t->v - offsetof(struct verbs_context, post_srq_ops) - 1;
	else
		t->v.context.abi_compat = NULL;
}
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Tags is a shared receive queue with tags, of a provider of its own.
type Tags struct {
	c    *C.struct_dp_tags
	gate gate.Gate
}

// NewTags makes one. The caller calls Close.
func NewTags() (*Tags, error) {
	c := C.dp_tags_new()
	if c == nil {
		return nil, errors.New("no queue: out of memory")
	}
	t := &Tags{c: c}
	t.gate.Open(unsafe.Pointer(&c.srq))
	return t, nil
}

// Close frees the queue.
func (t *Tags) Close() { C.free(unsafe.Pointer(t.c)) }

// Gate returns the gate of the queue.
func (t *Tags) Gate() *gate.Gate { return &t.gate }

// Refuse has posts answer ENOMEM at an operation, none for -1.
func (t *Tags) Refuse(number int) { t.c.refuse = C.int(number) }

// Ways in which a provider may lack the operation: it has none, it is older, or its context is not in a larger one.
const (
	NoOp = iota
	Older
	Plain
)

// Lack has the provider lack the operation in one of these ways.
func (t *Tags) Lack(how int) { C.dp_tags_lack(t.c, C.int(how)) }

// Op is an operation as C saw it.
type Op struct {
	ID, RecvID, Tag, Mask     uint64
	Opcode, Flags, Unexpected uint32
	Handle                    uint32
	SGEs                      int
	Last                      SGE // element
}

// Seen returns the operations of the last post.
func (t *Tags) Seen() []Op {
	var all []Op
	for i, w := range t.c.seen[:t.c.count] {
		e := t.c.last[i]
		all = append(all, Op{uint64(w.wr_id), uint64(w.tm.add.recv_wr_id), uint64(w.tm.add.tag), uint64(w.tm.add.mask),
			uint32(w.opcode), uint32(w.flags),
			uint32(w.tm.unexpected_cnt), uint32(w.tm.handle), int(w.tm.add.num_sge), SGE{uint64(e.addr), uint32(e.length), uint32(e.lkey)}})
	}
	return all
}
