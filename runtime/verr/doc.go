// Package verr has the error type of all verbs. An error says which verb was called, which errno it returned, which rules of the
// man pages the call broke or may have broken, and what to do about it.
//
// The package owns the texts and the results of errors.Is. It must not know any verb, rule or C type, nor what a
// call looks for before it fails: package fail of gensupport makes the errors. It needs neither cgo nor Linux.
//
// errors.Is and errors.As find in the errors of this package:
//
//	*Error                 always, except that Load and Open of a library return a *LoadError
//	syscall.Errno          the errno of a failed call (EINVAL for a refused one, EBUSY for a refused Close)
//	errors.ErrUnsupported  ENOSYS, EOPNOTSUPP, EPROTONOSUPPORT, and a verb that the loaded library lacks
//	os.ErrClosed           use of an object after its Close
//	ErrDeviceRemoved       a call on a device that was removed; syscall.EIO too
package verr
