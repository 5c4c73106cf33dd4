package api

import "testing"

// TestOn looks for the mutex of ibv_context, which glibc makes 48 bytes long on arm64 and 40 on amd64, and for what is behind it.
func TestOn(t *testing.T) {
	release := must(Load("65.0"))(t)
	for arch, want := range map[string][3]int64{"amd64": {40, 328, 696}, "arm64": {48, 336, 704}} {
		on := release.On(arch)
		find := func(tag string) *Record {
			for i := range on.Records {
				if on.Records[i].Tag == tag {
					return &on.Records[i]
				}
			}
			t.Fatalf("no %s", tag)
			return nil
		}
		context, extended := find("struct ibv_context"), find("struct verbs_context")
		if got := [3]int64{context.Field("mutex").Size, context.Size, extended.Size}; got != want {
			t.Errorf("%s: mutex, ibv_context and verbs_context have %d bytes, want %d", arch, got, want)
		}
		if extended.Field("alloc_dm").Offset == extended.Size-extended.Field("alloc_dm").Size {
			t.Errorf("%s: alloc_dm is the last field", arch)
		}
	}
}
