//go:build ignore

//verbsgen:with ibv_wr_start ibv_post_send

package verbs

import (
	"errors"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// failed returns the error of a post that posted nothing. The provider does not say which request it refused: it is taken to be
// the first that breaks a rule of posts. If none does, and the provider had no room, the queue is full.
func (s *QPStream) failed(r dpath.SendRange, errno syscall.Errno) error {
	if errno >= fail.ErrnoClosed {
		return dpath.Failed(r, &errWRStart, errno)
	}
	if err := dpath.Refused(r, errno); err != nil {
		return err
	}
	as := errno
	if errno == syscall.ENOSPC {
		as = syscall.ENOMEM // which posts have for the same
	}
	var first *verr.Error
	for i := range r.Len() {
		var e *verr.Error
		if !errors.As(s.qp.refusedPostSend(r, i, as), &e) {
			continue
		}
		if len(e.Violations) > 0 {
			return s.of(e, errno)
		}
		if first == nil {
			first = e
		}
	}
	switch {
	case first == nil:
		return s.qp.dev.removed(errWRStart.Errno(errno))
	case first.Err == ErrQueueFull && s.qp.quiet(r):
		return errWRStart.FullQuiet(errno)
	case first.Err == ErrQueueFull:
		return errWRStart.Full(errno)
	}
	return s.of(first, errno)
}

// hint reports what may be wrong with requests that were posted.
func (s *QPStream) hint(r dpath.SendRange) {
	if s.qp.lib.lints.Wanted() {
		s.qp.hintPostSend(errWRStart.Verb, r)
	}
}

// of returns the error of a post as that of a stream, which failed with errno.
func (s *QPStream) of(e *verr.Error, errno syscall.Errno) error {
	c := *e
	c.Verb, c.Errno = errWRStart.Verb, errno
	return &c
}
