//go:build linux && cgo

package recording

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"golang.org/x/sys/unix"
)

const getAsync, ackAsync = "ibv_get_async_event", "ibv_ack_async_event"

// eventArm is a member of the union of struct ibv_async_event: what Go shows in its place, and the types of events for which it is valid.
type eventArm struct {
	shown string // field of AsyncEvent
	types []string
}

// eventArms are copied from ibv_get_async_event(3), apart from the pages. For the last types no member is valid.
var eventArms = map[string]eventArm{
	"element.cq": {"CQ", []string{"IBV_EVENT_CQ_ERR"}},
	"element.qp": {"QP", []string{"IBV_EVENT_QP_FATAL", "IBV_EVENT_QP_REQ_ERR", "IBV_EVENT_QP_ACCESS_ERR", "IBV_EVENT_COMM_EST",
		"IBV_EVENT_SQ_DRAINED",
		"IBV_EVENT_PATH_MIG", "IBV_EVENT_PATH_MIG_ERR", "IBV_EVENT_QP_LAST_WQE_REACHED"}},
	"element.srq": {"SRQ", []string{"IBV_EVENT_SRQ_ERR", "IBV_EVENT_SRQ_LIMIT_REACHED"}},
	"element.wq":  {"WQ", []string{"IBV_EVENT_WQ_FATAL"}},
	"element.port_num": {"Port", []string{"IBV_EVENT_PORT_ACTIVE", "IBV_EVENT_PORT_ERR", "IBV_EVENT_LID_CHANGE", "IBV_EVENT_PKEY_CHANGE",
		"IBV_EVENT_SM_CHANGE", "IBV_EVENT_CLIENT_REREGISTER", "IBV_EVENT_GID_CHANGE"}},
	"": {"", []string{"IBV_EVENT_DEVICE_FATAL", "IBV_EVENT_DEVICE_SPEED_CHANGE"}},
}

// asyncEvent is an event that C hands back, and what Go must show of it.
type asyncEvent struct {
	name, arm string
	number    uint64 // of the type
	element   uint64
	handle    any // nil for a port, for the device, and for an object of other code
	got       *verbs.AsyncEvent
}

// asyncEvents returns events of every type: of two objects or ports each, and of an object that other code made.
func (b *bed) asyncEvents() (out []*asyncEvent) {
	b.Helper()
	for round := range uint64(3) {
		for _, arm := range slices.Sorted(maps.Keys(eventArms)) {
			var handle any
			element := round + 2
			if of := eventArms[arm].shown; b.spec.ObjectByGo(of) != nil && of != "" {
				if element = 0x1000; round < 2 {
					var v reflect.Value
					v, element = b.handle(of)
					handle = v.Interface()
				}
			}
			for _, name := range eventArms[arm].types {
				out = append(out, &asyncEvent{name, arm, b.constants([]string{name}), element, handle, nil})
			}
		}
	}
	return out
}

// descriptor makes for an object of C a descriptor to wait on, which counts.
func (b *bed) descriptor(tag string, object uint64, field string) (fd int) {
	b.Helper()
	fd = must(unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_SEMAPHORE))(b.TB)
	b.Cleanup(func() { unix.Close(fd) })
	if !b.rec.Poke(tag, object, field, uint64(fd)) {
		b.Fatalf("%s has no %s", tag, field)
	}
	return fd
}

// comes lets a function hand back numbers, when its descriptor is read.
func (b *bed) comes(verb string, fd int, numbers map[string]uint64) {
	b.Helper()
	b.rec.Replies(verb, Reply{Numbers: numbers})
	must(unix.Write(fd, binary.NativeEndian.AppendUint64(nil, 1)))(b.TB)
}

// soon is a context of a wait for what has come.
func (b *bed) soon() context.Context {
	ctx, cancel := context.WithTimeout(b.Context(), 20*time.Second)
	b.Cleanup(cancel)
	return ctx
}

// acks returns the acknowledgements since the last time that calls were taken.
func (b *bed) acks(verb string) (out []map[string]string) {
	b.Helper()
	for _, c := range must(b.rec.Calls())(b.TB) {
		if c.Verb == verb {
			out = append(out, c.In)
		}
	}
	return out
}

// getAsync takes an event and compares it.
func (b *bed) getAsync(fd int, e *asyncEvent) {
	b.Helper()
	numbers := map[string]uint64{"event.event_type": e.number, "event.element.port_num": e.element}
	if e.arm != "" { // of the others a number has no meaning, which Go must not show
		numbers = map[string]uint64{"event.event_type": e.number, "event." + e.arm: e.element}
	}
	b.comes(getAsync, fd, numbers)
	e.got = must(b.dev.NextEvent(b.soon()))(b.TB)
	if got := uint64(e.got.Type); got != e.number {
		b.Errorf("%s: event.event_type is %d, and Type %d", e.name, e.number, got)
	}
	v := reflect.ValueOf(e.got).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		arm := eventArms[e.arm]
		switch {
		case !f.IsExported() || f.Name == "Type":
		case f.Name == arm.shown && f.Name == "Port":
			if got := v.Field(i).Uint(); got != e.element {
				b.Errorf("%s: event.%s is %d, and Port %d", e.name, e.arm, e.element, got)
			}
		case f.Name == arm.shown && e.handle != nil:
			if v.Field(i).Interface() != e.handle {
				b.Errorf("%s: event.%s is of a %s, and Go shows another or none", e.name, e.arm, f.Name)
			}
		case !v.Field(i).IsZero():
			b.Errorf("%s: the event is of event.%s, and has a %s", e.name, e.arm, f.Name)
		}
	}
}

// acknowledged compares the one acknowledgement of an event.
func (b *bed) acknowledged(e *asyncEvent, acks []map[string]string) {
	b.Helper()
	if len(acks) != 1 {
		b.Errorf("%s: %d acknowledgements, not 1", e.name, len(acks))
		return
	}
	in := acks[0]
	if want := fmt.Sprint(e.number); in["event.event_type"] != want {
		b.Errorf("%s: acknowledged with event.event_type = %s, not %s", e.name, in["event.event_type"], want)
	}
	for arm := range eventArms {
		mine := arm == e.arm || e.arm == "element.port_num" // of a pointer the low half has no meaning of its own
		if want := fmt.Sprint(e.element); arm != "" && e.arm != "" && mine && in["event."+arm] != want {
			b.Errorf("%s: acknowledged with event.%s = %s, not %s", e.name, arm, in["event."+arm], want)
		}
	}
}

// exchange takes all events, then acknowledges them, the newest first.
func (b *bed) exchange() {
	b.Helper()
	fd := b.descriptor("struct ibv_context", b.devAt, "async_fd")
	list := b.asyncEvents()
	must(b.rec.Calls())(b.TB)
	for _, e := range list {
		b.getAsync(fd, e)
		if acks := b.acks(ackAsync); e.handle == nil {
			b.acknowledged(e, acks) // nothing has to stay open for it
		} else if len(acks) != 0 {
			b.Errorf("%s: acknowledged before Done: %v", e.name, acks)
		}
	}
	for _, e := range slices.Backward(list) {
		e.got.Done()
		e.got.Done()
		if acks := b.acks(ackAsync); e.handle != nil {
			b.acknowledged(e, acks)
		} else if len(acks) != 0 {
			b.Errorf("%s: acknowledged twice: %v", e.name, acks)
		}
	}
}

// TestAsyncEvents lets C hand back events of every type with every member of the union: Go shows the type and the object or port, and
// nothing else, and each event is acknowledged once, as it was.
func TestAsyncEvents(t *testing.T) {
	b := open(t)
	named := map[string]bool{}
	for arm, a := range eventArms {
		for _, name := range a.types {
			named[name] = true
		}
		if _, ok := reflect.TypeFor[verbs.AsyncEvent]().FieldByName(a.shown); !ok && arm != "" {
			t.Errorf("AsyncEvent has no %s for %s", a.shown, arm)
		}
	}
	for _, e := range b.facts.Enum("ibv_event_type").Enumerators {
		if !named[e.Name] {
			t.Errorf("no event has the type %s", e.Name)
		}
	}
	for _, f := range b.facts.Record("struct ibv_async_event").Fields {
		if _, ok := eventArms[f.Name]; !ok && strings.HasPrefix(f.Name, "element.") {
			t.Errorf("no event has the member %s", f.Name)
		}
	}
	b.exchange()
}
