package recording

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Call is one call of a function of the library. Paths of values are those of C: "attr_mask", "attr.ah_attr.grh.flow_label",
// "wr.sg_list[1].lkey". A number is in decimal, and in the order of this processor; bytes are x and two digits each.
type Call struct {
	Verb   string
	In     map[string]string // arguments, and the records behind them
	Out    map[string]string // records that the function filled
	Made   map[string]string // fields of the object that it made, by "struct ibv_mr.lkey"
	Result uint64            // for an object its address
}

// Number returns a number of In, Out or Made.
func Number(values map[string]string, path string) (uint64, error) {
	text, ok := values[path]
	if !ok {
		return 0, fmt.Errorf("nothing is recorded of %s", path)
	}
	return strconv.ParseUint(text, 10, 64)
}

// Bytes returns the bytes of an array, nil where text is a number.
func Bytes(text string) []byte {
	digits, ok := strings.CutPrefix(text, "x")
	if !ok {
		return nil
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return nil
	}
	return b
}

// zero reports whether a value is nothing but zeros.
func zero(text string) bool { return strings.Trim(text, "x0") == "" }

// parseCalls reads what the library wrote.
func parseCalls(text string) ([]Call, error) {
	var calls []Call
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) != 3 || len(calls) == 0 && parts[0] != "call" {
			return nil, fmt.Errorf("the recording library wrote %q", line)
		}
		kind, path, value := parts[0], parts[1], parts[2]
		if kind == "call" {
			calls = append(calls, Call{Verb: path, In: map[string]string{}, Out: map[string]string{}, Made: map[string]string{}})
			continue
		}
		c := &calls[len(calls)-1]
		switch kind {
		case "in":
			c.In[path] = value
		case "out":
			c.Out[path] = value
		case "made":
			c.Made[path] = value
		case "result":
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				return nil, err
			}
			c.Result = n
		}
	}
	return calls, nil
}
