//go:build linux && cgo

package calls

import (
	"context"
	"errors"
	"net/netip"
	"reflect"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// manager is a software connection manager with two connected identifiers.
type manager struct {
	cm       *softcm.Manager
	lib      *rdmacm.Lib
	channels []*rdmacm.EventChannel
}

// addresses are those that calls are made with: of both devices, of nobody, of another network, of all.
var addresses = []string{"10.0.0.1:0", "10.0.0.1:7471", "10.0.0.2:0", "10.0.0.77:1", "192.0.2.1:1", "0.0.0.0:0", "127.0.0.1:1",
	"239.1.1.1:0", "[::1]:1", "[fe80::1%1]:2"}

// connectIDs adds live handles of rdmacm to a pool.
func connectIDs(p *pool, v *verbs.Lib, soft *softverbs.Device) (*manager, error) {
	m := &manager{cm: softcm.New(soft, softcm.Retries(1, time.Millisecond), softcm.TimeWait(time.Millisecond))}
	var err error
	if m.lib, err = rdmacm.LoadFrom(v, m.cm); err != nil {
		return nil, err
	}
	there, err := m.lib.CreateEventChannel()
	if err != nil {
		return nil, err
	}
	here, err := m.lib.CreateEventChannel()
	if err != nil {
		return nil, err
	}
	m.channels = []*rdmacm.EventChannel{there, here}
	l, server, client, err := connected(there, here)
	if err != nil {
		return nil, err
	}
	for _, x := range []any{m.lib, there, here, l, server, client} {
		p.add(reflect.ValueOf(x))
	}
	for _, a := range addresses {
		p.add(reflect.ValueOf(netip.MustParseAddrPort(a)))
	}
	return m, nil
}

// connected makes a listener and the two ends of a connection without queue pairs.
func connected(there, here *rdmacm.EventChannel) (l, server, client *rdmacm.ID, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var ev *rdmacm.Event
	to := netip.MustParseAddrPort("10.0.0.1:7471")
	for _, step := range []func() error{
		func() (err error) { l, err = there.CreateID(rdmacm.PortSpaceTCP); return err },
		func() error { return l.BindAddr(to) },
		func() error { return l.Listen(8) },
		func() (err error) { client, err = here.CreateID(rdmacm.PortSpaceTCP); return err },
		func() error { return client.ResolveAddr(netip.MustParseAddrPort("10.0.0.2:0"), to, 1000) },
		func() (err error) { _, err = here.Next(ctx); return err },
		func() error { return client.ResolveRoute(1000) },
		func() (err error) { _, err = here.Next(ctx); return err },
		func() error { return client.Connect(rdmacm.ConnAttr{QPNum: 1}) },
		func() (err error) { ev, err = there.Next(ctx); return err },
		func() error { return ev.ID.Accept(rdmacm.ConnAttr{QPNum: 2}) },
		func() (err error) { _, err = here.Next(ctx); return err },
		func() error { return client.Establish() },
	} {
		if err := step(); err != nil {
			return nil, nil, nil, err
		}
	}
	return l, ev.ID, client, nil
}

// opened returns the device that a call of ID.CreateQP may have opened, nil if it is none: without a domain the device is that of the
// identifier, and the program closes it.
func opened(m method, args []reflect.Value) *verbs.Device {
	if m.name != "rdmacm.ID.CreateQP" {
		return nil
	}
	dev, err := args[0].Interface().(*rdmacm.ID).Device()
	if err != nil {
		return nil
	}
	return dev
}

// close ends everything that calls have made.
func (m *manager) close() error {
	var errs []error
	for _, c := range m.channels {
		if err := c.CloseAll(); c != nil && !closed(err) {
			errs = append(errs, err)
		}
	}
	if m.cm != nil {
		errs = append(errs, m.cm.Close())
	}
	return errors.Join(errs...)
}
