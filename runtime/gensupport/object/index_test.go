package object

import "testing"

// TestIndex enters, replaces and removes; a handle that lost its number takes nothing of another's with it.
func TestIndex(t *testing.T) {
	var x Index
	a, b := new(int), new(int)
	if got := x.Find(7); got != nil {
		t.Errorf("empty: %v", got)
	}
	x.Remove(7, a)
	x.Add(7, a)
	x.Add(8, b)
	if x.Find(7) != any(a) || x.Find(8) != any(b) {
		t.Errorf("found %v and %v", x.Find(7), x.Find(8))
	}
	x.Add(7, b) // the memory of a's object became that of b's
	x.Remove(7, a)
	if x.Find(7) != any(b) {
		t.Errorf("after the end of the first: %v", x.Find(7))
	}
	x.Remove(7, b)
	if x.Find(7) != nil || x.Find(8) != any(b) {
		t.Errorf("left are %v and %v", x.Find(7), x.Find(8))
	}
}
