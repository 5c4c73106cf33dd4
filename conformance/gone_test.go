//go:build linux

package conformance

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// all makes an object of each kind on a device, with a batch that goes to its address handle.
func all(t *testing.T, dev *verbs.Device) (closers []interface{ Close() error }, qp *verbs.QP, b *verbs.SendBatch, buf *mem.Buffer) {
	pd := must(dev.AllocPD())(t)
	ch := must(dev.CreateCompChannel())(t)
	cq := must(dev.CreateCQ(4, ch, 0))(t)
	srq := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 1, MaxSGE: 1}))(t)
	qp = must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1}))(t)
	td := must(dev.AllocTD())(t)
	parent := must(dev.AllocParentDomain(verbs.NewParentDomainAttr(pd).ThreadDomain(td)))(t)
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(64)))(t)
	dmr := must(pd.RegDMMR(dm, 0, 64, verbs.DMAccessZeroBased))(t)
	buf = must(mem.New(4096))(t)
	mr := must(pd.RegMRFrom(buf, verbs.MRAccessLocalWrite))(t)
	gid := must(dev.QueryGID(1, 0))(t)
	ah := must(pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid}))(t)
	b = must(verbs.NewSendBatch(1, 1))(t)
	if err := ah.Address(b.WR(0).Send(1), 1, 1); err != nil {
		t.Fatal(err)
	}
	return []interface{ Close() error }{ah, mr, dmr, dm, parent, td, qp, srq, cq, ch, pd}, qp, b, buf
}

// TestTakenAway closes what was made on a device that is away, each by itself and all together, with and without the setting of
// rdma-core that allows it: all is closed, memory is free again, and another device goes on.
func TestTakenAway(t *testing.T) {
	for name, opts := range map[string][]softverbs.Option{"as it is": nil, "allowed": {softverbs.DisassocDestroy()}} {
		for _, together := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				b := open(t, append(opts, softverbs.AnotherDevice("soft1"))...)
				closers, qp, batch, buf := all(t, b.dev)
				if err := b.soft.TakeAway("soft0"); err != nil {
					t.Fatal(err)
				}
				if !together {
					for _, c := range closers {
						if err := c.Close(); err != nil {
							t.Errorf("%T: %v", c, err)
						}
					}
				}
				if err := b.dev.CloseAll(); err != nil {
					t.Error(err)
				}
				if _, err := qp.PostSend(batch, 1); !errors.Is(err, os.ErrClosed) {
					t.Errorf("a post afterwards: %v", err)
				}
				if err := buf.Close(); err != nil {
					t.Error(err)
				}
				other := must(b.lib.OpenDevice("soft1"))(t)
				all(t, other)
				if err := other.CloseAll(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestDeviceRemoved calls every method of every handle on a device that is away, with arguments as good as their types say: an EIO is
// always ErrDeviceRemoved too.
func TestDeviceRemoved(t *testing.T) {
	b := open(t)
	closers, _, batch, _ := all(t, b.dev)
	values := []any{b.dev}
	for _, c := range closers {
		values = append(values, c)
	}
	given := append(slices.Clone(values), batch, verbs.NewQPAttr(verbs.QPStateErr), verbs.NewAllocDMAttr(64))
	if err := b.soft.TakeAway("soft0"); err != nil {
		t.Fatal(err)
	}
	ev, err := b.dev.NextEvent(t.Context())
	if err != nil || ev.Type != verbs.EventTypeDeviceFatal {
		t.Fatalf("%v, %v", ev, err)
	}
	ev.Done()
	removed := map[string]bool{}
	look := func(name string, err error) {
		if errors.Is(err, syscall.EIO) != errors.Is(err, verbs.ErrDeviceRemoved) {
			t.Errorf("%s: %v", name, err)
		}
		if errors.Is(err, verbs.ErrDeviceRemoved) {
			removed[name] = true
		}
	}
	ends := []string{"Close", "CloseAll", "Destroy", "Unimport"}
	for _, of := range values {
		v := reflect.ValueOf(of)
		for i := range v.NumMethod() {
			m := v.Type().Method(i)
			if slices.Contains(ends, m.Name) {
				continue
			}
			out := v.Method(i).Call(arguments(t, m.Type, given))
			for _, o := range out {
				if err, ok := o.Interface().(error); ok {
					look(v.Type().Elem().Name()+"."+m.Name, err)
				}
			}
		}
	}
	for _, name := range []string{"Device.NextEvent", "Device.AllocPD", "Device.QueryDevice", "Device.AllocDM", "QP.Query", "QP.Modify",
		"DM.WriteAt", "CQ.PollInto", "CQ.PollSpin", "CQ.ReqNotify", "CQ.Wait", "CompChannel.Next", "PD.RegMR", "SRQ.Query"} {
		if !removed[name] {
			t.Errorf("%s is not among the calls that failed: %d are", name, len(removed))
		}
	}
}

// arguments are arguments of a method: an object of the type, memory, or a value of zero.
func arguments(t *testing.T, method reflect.Type, of []any) (args []reflect.Value) {
	n := method.NumIn()
	if method.IsVariadic() {
		n--
	}
	for i := 1; i < n; i++ {
		typ := method.In(i)
		arg := reflect.New(typ).Elem()
		switch k := slices.IndexFunc(of, func(x any) bool { return reflect.TypeOf(x) == typ }); {
		case k >= 0:
			arg = reflect.ValueOf(of[k])
		case typ == reflect.TypeFor[context.Context]():
			arg = reflect.ValueOf(t.Context())
		case typ.Kind() == reflect.Pointer && typ.Elem().Kind() == reflect.Struct:
			arg = reflect.New(typ.Elem())
		case typ.Kind() == reflect.Slice:
			arg = reflect.MakeSlice(typ, 8, 8)
		case typ.Kind() == reflect.Uint8 || typ.Kind() == reflect.Int:
			arg.Set(reflect.ValueOf(1).Convert(typ))
		}
		args = append(args, arg)
	}
	return args
}
