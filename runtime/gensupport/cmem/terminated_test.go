package cmem

import "testing"

// A text of C ends with a zero byte, and has none before it.
func TestTerminated(t *testing.T) {
	for _, s := range []string{"", "door"} {
		if b, err := Terminated("lamp_open", "name", s); err != nil || string(b) != s+"\x00" {
			t.Errorf("Terminated(%q) = %q, %v", s, b, err)
		}
	}
	const want = "lamp_open: name has a zero byte, which ends a text in C; leave it out"
	if b, err := Terminated("lamp_open", "name", "do\x00or"); b != nil || err == nil || err.Error() != want {
		t.Errorf("Text of a text with a zero byte = %q, %v; want %s", b, err, want)
	}
}
