package mem

import "sync"

var forever struct {
	sync.Mutex
	releases []func()
}

// KeepForever keeps what release would give back, until the process ends: memory that a device may still write to, because nobody
// here can say when it stops.
func KeepForever(release func()) {
	forever.Lock()
	defer forever.Unlock()
	forever.releases = append(forever.releases, release)
}
