//go:build linux

package suite

import "github.com/verbsgen/verbsgen/conformance/internal/census"

// census has it checked when a case has ended that the kernel has no more objects on the devices than before. What a device made
// of software has left it tells itself.
func (g *Target) census(t *T) {
	for _, name := range []string{g.name, g.peerName} {
		before, err := census.Count(name)
		if err != nil {
			continue // of no device, or one made of software; of another the report says so, by the capability
		}
		t.Cleanup(func() {
			if more, err := before.More(name); err != nil {
				t.Errorf("after the case %v", err)
			} else if more != "" {
				t.Errorf("left behind on %s, unless another program made them: %s", name, more)
			}
		})
	}
}

// probeCensus reports why objects are not counted.
func (g *Target) probeCensus(t *T) error {
	if t.soft != nil {
		return nil
	}
	_, err := census.Count(g.name)
	return err
}
