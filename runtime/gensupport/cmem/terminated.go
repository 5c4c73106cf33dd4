package cmem

import (
	"strings"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Terminated returns a copy of s with a zero byte behind it, as C has a text. what is the parameter of verb that it is for.
func Terminated(verb, what, s string) ([]byte, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return nil, fail.ZeroByte(verb, what)
	}
	return append([]byte(s), 0), nil
}
