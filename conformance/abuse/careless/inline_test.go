//go:build linux && cgo

package careless

import "github.com/verbsgen/verbsgen/gen/verbs"

// inlineMistakes post inline data from memory that is not there, which a provider would read during the post.
func inlineMistakes() (all []mistake) {
	for name, at := range map[string]func() uintptr{
		"unmapped memory":  unmapped,
		"a closed buffer":  func() uintptr { b := newBuffer(); defer closed(b); return b.Addr() },
		"a truncated file": truncated,
	} {
		all = append(all, mistake{name: name,
			says: []string{"ibv_post_send", "EFAULT", "its inline data is to be read at"}, make: func(w *world) error {
				b := w.sends(1)
				b.WR(0).Send(1).SGE(uint64(at()), 8, 0).Flags(verbs.SendInline)
				return result(w.a.QP.PostSend(b, 1))
			}})
	}
	return all
}

// truncated is the address of a page that lies behind the end of its file.
func truncated() uintptr {
	f, err := newFile()
	if err == nil {
		err = f.cut()
	}
	if err != nil {
		panic(err)
	}
	return f.addr()
}
