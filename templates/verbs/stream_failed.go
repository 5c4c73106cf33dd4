//go:build ignore

//verbsgen:with ibv_wr_start
//verbsgen:without ibv_post_send

package verbs

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
)

// failed returns the error of a post that posted nothing.
func (s *QPStream) failed(r dpath.SendRange, errno syscall.Errno) error {
	return dpath.Failed(r, &errWRStart, errno)
}

// hint has no hints, which are those of ibv_post_send.
func (s *QPStream) hint(dpath.SendRange) {}
