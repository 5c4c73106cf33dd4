// Package verr is the error of every verb: what was called, what the system answered, which rules of the manual
// pages the call broke or may have broken, and what to do about it.
//
// It owns the texts and the answers to errors.Is. It must not know any verb, rule or C type: generated code hands
// it static data, and nothing here runs while calls succeed, but for lints that a program asks for. It needs neither cgo nor Linux.
//
// What errors.Is and errors.As find in the errors of this package:
//
//	*Error                 always
//	syscall.Errno          the errno of a failed call (EINVAL for a refused one, EBUSY for a refused Close)
//	errors.ErrUnsupported  ENOSYS, EOPNOTSUPP, EPROTONOSUPPORT, and a verb that the loaded library lacks
//	os.ErrClosed           use of an object after its Close
package verr
