//go:build linux && cgo

package careless

// mistake is a program that makes one.
type mistake struct {
	name string
	run  func(folder string) error
	says []string
	race bool
}

func memoryMistakes() []mistake  { return nil }
func ownerMistakes() []mistake   { return nil }
func sharingMistakes() []mistake { return nil }
