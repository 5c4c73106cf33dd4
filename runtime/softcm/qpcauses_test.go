//go:build linux && cgo

package softcm_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
)

// TestQPCauses makes queue pairs that the library refuses with EINVAL, each for another reason, which the error names alone.
func TestQPCauses(t *testing.T) {
	m := newMachine(t)
	l, at := m.listen(rdmacm.PortSpaceTCP)
	refused := func(id *rdmacm.ID, typ verbs.QPType, want string) {
		t.Helper()
		dev, err := id.Device()
		m.must(err)
		t.Cleanup(func() { dev.CloseAll() })
		cq, err := dev.CreateCQ(4, nil, 0)
		m.must(err)
		_, err = id.CreateQP(nil, verbs.QPInitAttr{Type: typ, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1, MaxRecvWR: 1, MaxRecvSGE: 1})
		if err == nil || !strings.HasSuffix(err.Error(), "(EINVAL)"+want) {
			t.Errorf("%v: %v, want %q", typ, err, want)
		}
	}
	client := m.routed(rdmacm.PortSpaceTCP, at)
	refused(client, verbs.QPTypeUD, "; may be: the queue pair is of type UD, and an identifier of PortSpaceTCP is for type RC; create "+
		"it as RC, or the identifier in the port space of UD")
	m.must(client.Connect(rdmacm.ConnAttr{}))
	server := m.next(l, rdmacm.EventTypeConnectRequest).ID
	m.must(client.Close())
	refused(server, verbs.QPTypeRC, "; may be: the peer has given the connection up, or it has ended, and the library can no longer "+
		"prepare a queue pair for it; close the identifier; or the queue pair is larger than the device makes it")

	m = newMachine(t, softcm.Fail("rdma_create_qp", 1, syscall.EINVAL))
	_, at = m.listen(rdmacm.PortSpaceTCP)
	refused(m.routed(rdmacm.PortSpaceTCP, at), verbs.QPTypeRC, "")
}
