package validate

import "strconv"

// Fact returns what errors say of a value beside the rules: "state INIT", "max_send_sge 2". name is the C name of the value, and text
// how it is called; without text it is a number. Nothing is said of an unknown value.
func Fact(name string, v Known, text string) string {
	switch {
	case !v.OK:
		return ""
	case text == "":
		text = strconv.FormatUint(v.V, 10)
	}
	return name + " " + text
}
