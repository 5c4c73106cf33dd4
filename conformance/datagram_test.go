//go:build linux

package conformance

import (
	"errors"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestNilByName uses nil handles on the data path: each error names its own kind, whichever comes first.
func TestNilByName(t *testing.T) {
	send := must(verbs.NewSendBatch(1, 1))(t)
	defer send.Close()
	address := (*verbs.AH)(nil).Address(send.WR(0), 1, 1)
	_, post := (*verbs.QP)(nil).PostSend(send, 1)
	for kind, err := range map[string]error{"AH": address, "QP": post} {
		if !errors.Is(err, syscall.EINVAL) || err.Error() != "ibv_post_send: "+kind+" is nil; pass one that is open" {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
