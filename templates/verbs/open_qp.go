//go:build ignore

//verbsgen:with ibv_open_qp

package verbs

import "github.com/verbsgen/verbsgen/runtime/gensupport/fail"

// beforeOpenQP refuses a device whose library would end the process when the handle is closed.
func (dev *Device) beforeOpenQP(verb string) error {
	return fail.OpenQP(verb, dev.lib.src, dev.h.Label())
}
