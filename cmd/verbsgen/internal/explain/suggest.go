package explain

import (
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// suggestConstant names the constant that was likely meant at a place. Those that the place takes come first.
func (c *call) suggestConstant(name, path string, t spec.CType) string {
	if !strings.Contains(name, "_") && name != strings.ToUpper(name) {
		if fix := spec.DidYouMean(name, sortedKeys(c.constantsInGo())); fix != "" {
			return fix
		}
	}
	for _, among := range [][]string{c.likely(path, t), c.facts.ConstNames()} {
		if like := likeConstant(strings.ToUpper(name), among); like != "" {
			return "did you mean " + like + "?"
		}
	}
	return ""
}

// shortest is the number of letters from which on the end of a name is recognised with a slip in it.
const shortest = 5

// likeConstant is the constant that a name is the end of, as REMOTE_WRITE of IBV_ACCESS_REMOTE_WRITE, or else the one
// that it is like, or whose end it is like.
func likeConstant(name string, among []string) string {
	whole := map[string]string{} // by end
	for _, c := range among {
		for end, more := c, true; more && end != ""; _, end, more = strings.Cut(end, "_") {
			if old := whole[end]; old == "" || len(c) < len(old) {
				whole[end] = c
			}
		}
	}
	if c := whole[name]; c != "" {
		return c
	}
	if c := spec.Closest(name, among); c != "" || len(name) < shortest {
		return c
	}
	return whole[spec.Closest(name, sortedKeys(whole))]
}

// Constants lists the constants that an argument, or a field of one, takes: attr.qp_state. None when they are not
// known.
func (k *Checker) Constants(verb, path string) []string {
	fn := k.facts.Func(verb)
	if fn == nil {
		return nil
	}
	t, _, err := k.facts.TypeOfPath(fn, path)
	if err != nil {
		return nil
	}
	return newCall(k, fn).enumAt(path, t).Names()
}
