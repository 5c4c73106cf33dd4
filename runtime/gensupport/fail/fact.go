package fail

import (
	"fmt"
	"strconv"
)

// Fact returns what errors say of a number beside the rules: "max_send_sge 2". name is its C name. Nothing is said of an unknown value.
func Fact(name string, v Known) string {
	if !v.OK {
		return ""
	}
	return name + " " + strconv.FormatUint(v.V, 10)
}

// Named is Fact for a value of an enum, whose values have names: "state INIT".
func Named[E interface {
	~int32 | ~uint8 | ~uint32 | ~uint64
	fmt.Stringer
}](name string, v Known) string {
	if !v.OK {
		return ""
	}
	return name + " " + E(v.V).String()
}
