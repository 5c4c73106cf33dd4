// Package verr defines the error type of all verbs. An error names the verb and its errno, lists the rules of the man pages that the
// call broke or may have broken, and says what to do about it.
//
// The package owns the texts and the results of errors.Is. It must not know any verb, rule or C type, nor how causes are looked
// for: package fail of gensupport makes the errors. It needs neither cgo nor Linux.
//
// errors.Is and errors.As find these in the errors of this package:
//
//	*Error                 always, except that Load and Open of a library return a *LoadError
//	syscall.Errno          the errno of a failed call (EINVAL for a refused one, EBUSY for a refused Close)
//	errors.ErrUnsupported  ENOSYS, EOPNOTSUPP, EPROTONOSUPPORT, and a verb that the loaded library lacks
//	os.ErrClosed           use of an object after its Close
//	ErrDeviceRemoved       a call on a device that was removed; syscall.EIO too
package verr
