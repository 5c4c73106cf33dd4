package emit

import "testing"

// TestReceive renames receivers, and refuses a name that a variable has.
func TestReceive(t *testing.T) {
	names := map[string]string{"PD": "pd"}
	const src = "package p\n\ntype PD struct{ o int }\n\nfunc (o *PD) a() int { return o.o + func(o int) int { return o }(1) " +
		"}\n\nfunc (o *MR) a() {}\n"
	const want = "package p\n\ntype PD struct{ o int }\n\nfunc (pd *PD) a() int { return pd.o + func(o int) int { return o }(1) " +
		"}\n\nfunc (o *MR) a() {}\n"
	if got, err := receive([]byte(src), names); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	const refused = "PD.a has a variable pd, as the receivers of other methods are called"
	if _, err := receive([]byte("package p\n\nfunc (o *PD) a(pd int) {}\n"), names); err == nil || err.Error() != refused {
		t.Errorf("got %v, want %s", err, refused)
	}
}
