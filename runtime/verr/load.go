package verr

// LoadError is the error of a library that cannot be loaded or used. Its text is "load PATH: PROBLEM; FIX".
type LoadError struct {
	Path    string // as asked for
	Problem string
	Fix     string
	Err     error // errors.ErrUnsupported, fs.ErrNotExist, both joined, or nil
}

// Error returns the path, the problem and the fix; "<nil>" of nil.
func (e *LoadError) Error() string {
	if e == nil {
		return "<nil>"
	}
	text := "load " + e.Path + ": " + e.Problem
	if e.Fix != "" {
		text += "; " + e.Fix
	}
	return text
}

// Unwrap returns Err.
func (e *LoadError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}
