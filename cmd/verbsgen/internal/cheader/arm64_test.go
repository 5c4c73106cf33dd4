package cheader

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// TestARM64BothWays: the layouts that are computed here are those of the C parser, and where the computation does not know
// how, the parser is asked.
func TestARM64BothWays(t *testing.T) {
	const mutexes = "#include <pthread.h>\n#include <stdint.h>\ntypedef pthread_mutex_t own_t;\n" +
		"struct in { uint8_t a; pthread_mutex_t m[2]; uint16_t b; };\n" +
		"struct out { struct in list[2]; union { struct { char c; pthread_mutex_t m; } n; uint32_t w[5]; } u; pthread_cond_t *p; char " +
		"tail[]; };\n" +
		"struct mine { char c; own_t m; char d; };\n"
	files := map[string]string{
		"plain":      mutexes,
		"bit fields": mutexes + "struct bits { unsigned a : 3; pthread_mutex_t m; unsigned b : 7; };\n",
		"aligned":    mutexes + "struct wide { pthread_mutex_t m; char c __attribute__((aligned(32))); };\n",
	}
	installed, err := os.ReadFile("/usr/include/infiniband/verbs.h")
	if err == nil {
		files["verbs.h"] = string(installed)
	}
	for name, text := range files {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "infiniband")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			header := filepath.Join(dir, "in.h")
			if err := os.WriteFile(header, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			p := &parser{opts: Options{Header: header, Include: []string{"/usr/include"}}, name: "infiniband/in.h"}
			ast, in, errs := p.translate("amd64")
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			f := newFacts(p, ast, in)
			f.read()
			if errs := f.addARM64(); len(errs) > 0 {
				t.Fatal(errs)
			}
			computed := arm64Layouts(f.rel)
			for i := range f.rel.Records {
				f.rel.Records[i].ARM64 = nil
			}
			if errs := f.parseARM64(); len(errs) > 0 {
				t.Fatal(errs)
			}
			if parsed := arm64Layouts(f.rel); !reflect.DeepEqual(computed, parsed) || len(parsed) < 3 {
				t.Errorf("computed %v\nparsed %v", computed, parsed)
			}
		})
	}
}

func arm64Layouts(rel *api.Release) map[string]api.Layout {
	list := map[string]api.Layout{}
	for _, r := range rel.Records {
		if r.ARM64 != nil {
			list[r.Tag] = *r.ARM64
		}
	}
	return list
}
