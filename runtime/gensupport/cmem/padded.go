package cmem

import "github.com/verbsgen/verbsgen/runtime/gensupport/fail"

// Padded returns a copy of b with zeros behind it, of n bytes. what is the parameter of verb that it is for.
func Padded(verb, what string, b []byte, n int) ([]byte, error) {
	if len(b) > n {
		return nil, fail.TooLong(verb, what, len(b), n)
	}
	out := make([]byte, n)
	copy(out, b)
	return out, nil
}
