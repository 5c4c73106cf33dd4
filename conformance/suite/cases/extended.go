//go:build linux && cgo

package cases

import (
	"fmt"
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// extended are the cases of extended completion queues and their readers.
func extended() []suite.Case {
	cq := shared("ibv_create_cq_ex", suite.CQEx)
	read := shared("ibv_create_cq_ex", suite.CQEx, suite.Peer)
	return []suite.Case{
		cq("CF-cqex-0001", "each standard field alone, all together and none: an empty queue has nothing to read", eachField),
		cq("CF-cqex-0002", "each field that is not a standard one: given, or not supported", otherFields),
		cq("CF-cqex-0003", "a queue that cannot be, and flags", noExtended),
		cq("CF-cqex-0004", "what was not asked for cannot be read", notAsked),
		cq("CF-cqex-0005", "closed after what uses it; a reader of a closed queue reads nothing", extendedOrder),
		read("CF-cqex-0010", "each standard field read alone leaves the others as they are", fieldAlone),
		read("CF-cqex-0011", "read fewer at a time than there are", fewerThanThere),
		read("CF-cqex-0012", "read with more room than there are completions", moreThanThere),
		read("CF-cqex-0013", "of a request that failed only what is valid, then those that were flushed", failedRead),
		read("CF-cqex-0014", "polled by ibv_poll_cq and read in turns", readAndPolled),
		read("CF-cqex-0015", "an event for each completion that was asked for", eventsOfExtended),
		read("CF-cqex-0016", "messages of every length, both ways, for a single thread", reading(far.RC, messages, verbs.CQFlagSingleThreaded)),
		read("CF-cqex-0017", "messages with immediate data, both ways", reading(far.RC, immediate, 0)),
		read("CF-cqex-0018", "RDMA WRITE with immediate data, both ways", reading(far.RC, writeImm, 0)),
		read("CF-cqex-0019", "RDMA WRITE and READ of every length", reading(far.RC, writeRead, 0)),
		read("CF-cqex-0020", "atomics", reading(far.RC, atomicRequests, 0), suite.Atomics),
		read("CF-cqex-0021", "an unreliable connection", reading(far.UC, unreliable, 0)),
		read("CF-cqex-0022", "datagrams: whom they are from", reading(far.UD, datagrams, 0)),
		cq("CF-cqex-0030", "times of completions, on the device's clock and in nanoseconds since 1970", times, suite.Timestamps, suite.Peer),
		of("CF-cqex-0031", "moderated: an event when as many completions are there as were asked for", "ibv_modify_cq",
			moderatedEvents, suite.CQEx, suite.Moderation, suite.Peer),
		cq("CF-cqex-0032", "more completions than there is room for, ignored: the queue pair goes on, and no event comes",
			overrun, suite.Overruns, suite.Peer),
	}
}

// standardFields are those that every device with extended queues has.
var standardFields = []verbs.WCField{verbs.WCFieldByteLen, verbs.WCFieldImm, verbs.WCFieldQPNum, verbs.WCFieldSrcQP,
	verbs.WCFieldSLID, verbs.WCFieldSL, verbs.WCFieldDLIDPathBits}

const allStandard = verbs.WCFieldByteLen | verbs.WCFieldImm | verbs.WCFieldQPNum | verbs.WCFieldSrcQP | verbs.WCFieldSLID |
	verbs.WCFieldSL | verbs.WCFieldDLIDPathBits

// extendedCQ makes an extended queue for the completions of a near queue pair.
func extendedCQ(t *suite.T, fields verbs.WCField, flags verbs.CQFlag) *verbs.CQ {
	attr := verbs.NewCQInitAttrEx(depth, fields)
	if flags != 0 {
		attr.Flags(flags)
	}
	return must(t.Device().CreateCQEx(attr))(t)
}

// reading shows something on a near queue pair whose completions are read, with every standard field.
func reading(kind far.Kind, show func(n *near), flags verbs.CQFlag) func(*suite.T) {
	return func(t *suite.T) { show(readNear(t, kind, allStandard, flags)) }
}

// readNear makes a near queue pair whose completions are read.
func readNear(t *suite.T, kind far.Kind, fields verbs.WCField, flags verbs.CQFlag) *near {
	return nearOn(t, newPD(t), kind, extendedCQ(t, fields, flags), extendedCQ(t, fields, flags)).reads(fields)
}

// reads has a near read its completions.
func (n *near) reads(fields verbs.WCField) *near {
	n.readers = map[*verbs.CQ]*verbs.CQReader{n.sends: must(n.sends.Reader(fields))(n.t), n.recvs: must(n.recvs.Reader(fields))(n.t)}
	return n
}

// readOne waits for one completion.
func readOne(t *suite.T, r *verbs.CQReader) verbs.WCEx {
	var wcs [1]verbs.WCEx
	round := 0
	until(t, "a completion is read", func() bool {
		round++
		return must(r.PollSpin(wcs[:], far.NextRound(round-1)))(t) == 1
	})
	return wcs[0]
}

// empty checks that there is nothing to read.
func empty(t *suite.T, what string, r *verbs.CQReader) {
	none(t, what+": reading an empty queue", nil)(r.PollInto(make([]verbs.WCEx, 4)))
}

// asPolled is a completion as ibv_poll_cq gives it.
func asPolled(wc verbs.WCEx) verbs.WC {
	return verbs.WC{ID: wc.ID, Status: wc.Status, Opcode: wc.Opcode, VendorErr: wc.VendorErr, ByteLen: wc.ByteLen,
		ImmData: wc.ImmData, QPNum: wc.QPNum,
		SrcQP: wc.SrcQP, Flags: wc.Flags, SLID: uint16(wc.SLID), SL: wc.SL, DLIDPathBits: wc.DLIDPathBits}
}

func eachField(t *suite.T) {
	for _, fields := range append([]verbs.WCField{0, allStandard}, standardFields...) {
		cq, err := t.Device().CreateCQEx(verbs.NewCQInitAttrEx(depth, fields))
		if t.OK(fmt.Sprintf("fields %v", fields), err); err != nil {
			continue
		}
		if cq.Size() < depth || cq.Device() != t.Device() {
			t.Errorf("fields %v: room for %d, or another device", fields, cq.Size())
		}
		for _, some := range []verbs.WCField{0, fields} {
			empty(t, fields.String(), must(cq.Reader(some))(t))
		}
		t.OK("Close", cq.Close())
	}
}

// otherFields may be lacking, each by itself.
func otherFields(t *suite.T) {
	for _, field := range []verbs.WCField{verbs.WCFieldCompletionTS, verbs.WCFieldCVLAN, verbs.WCFieldFlowTag, verbs.WCFieldTMInfo,
		verbs.WCFieldWallclock} {
		cq, err := t.Device().CreateCQEx(verbs.NewCQInitAttrEx(depth, allStandard|field))
		if failsAs(t, field.String(), err, nil, syscall.EOPNOTSUPP); err != nil {
			continue
		}
		if field != verbs.WCFieldTMInfo { // which no reader reads
			empty(t, field.String(), must(cq.Reader(field))(t))
		}
		is(t, "Close", cq.Close(), nil) // which a report does not tell of, as only some devices have the queue
	}
}

func noExtended(t *suite.T) {
	max := uint32(must(t.Device().QueryDevice())(t).MaxCQE)
	for _, c := range []struct {
		what string
		attr *verbs.CQInitAttrEx
	}{{"no room", verbs.NewCQInitAttrEx(0, 0)}, {"more than max_cqe", verbs.NewCQInitAttrEx(max+1, 0)},
		{"a vector that is not there", verbs.NewCQInitAttrEx(1, 0).CompVector(uint32(t.Device().NumCompVectors()))}} {
		answers(t, c.what, errorOf(t.Device().CreateCQEx(c.attr)), syscall.EINVAL)
	}
	cq, err := t.Device().CreateCQEx(verbs.NewCQInitAttrEx(1, 0).Flags(verbs.CQFlagIgnoreOverrun))
	if failsAs(t, "overruns are ignored", err, nil, syscall.EOPNOTSUPP); err == nil {
		is(t, "Close", cq.Close(), nil)
	}
	for what, attr := range map[string]*verbs.CQInitAttrEx{"nil": nil, "one that no function made": {}} {
		fails(t, what, errorOf(t.Device().CreateCQEx(attr)), syscall.EINVAL)
	}
}

func notAsked(t *suite.T) {
	refused := func(what string, cq *verbs.CQ, fields verbs.WCField, errno syscall.Errno, words string) {
		r, err := cq.Reader(fields)
		is(t, what+": the reader", r, nil)
		fails(t, what, err, errno)
		names(t, what, err, words)
	}
	for i, field := range standardFields {
		cq := extendedCQ(t, allStandard&^field, 0)
		refused("all but one", cq, allStandard, syscall.EINVAL, field.String())
		refused("that one", cq, field, syscall.EINVAL, field.String())
		only := extendedCQ(t, field, 0)
		other := standardFields[(i+1)%len(standardFields)]
		refused("two, of which one was asked for", only, field|other, syscall.EINVAL, other.String())
		refused("a time", only, verbs.WCFieldWallclock, syscall.EINVAL, verbs.WCFieldWallclock.String())
		refused("a bit that is no field", only, 1<<33, syscall.EINVAL, "0x200000000")
		for _, cq := range []*verbs.CQ{cq, only} {
			t.OK("Close", cq.Close())
		}
	}
	refused("of a plain queue", must(t.Device().CreateCQ(1, nil, 0))(t), 0, syscall.EOPNOTSUPP, "CQ")
}

func extendedOrder(t *suite.T) {
	ch, pd := newChannel(t), newPD(t)
	cq := must(t.Device().CreateCQEx(verbs.NewCQInitAttrEx(1, allStandard).Channel(ch).CompVector(0)))(t)
	r := must(cq.Reader(allStandard))(t)
	qp := must(pd.CreateQP(suite.OneEach(verbs.QPTypeRC, cq)))(t)
	inUse(t, cq.Close(), "QP")
	inUse(t, ch.Close(), "CQ")
	empty(t, "before Close", r)
	for _, close := range []func() error{qp.Close, cq.Close, ch.Close} {
		t.OK("Close", close())
	}
	none(t, "a reader of a closed queue", os.ErrClosed)(r.PollInto(make([]verbs.WCEx, 1)))
	fails(t, "a reader that is made of a closed queue", errorOf(cq.Reader(0)), os.ErrClosed)
}
