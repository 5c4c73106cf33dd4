package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newerEdits make a later release of the installed header: each puts a text behind the first place where another one stands.
var newerEdits = []struct{ behind, text string }{
	{"enum ibv_access_flags {", "\tIBV_ACCESS_WIDGET = 1 << 12,\n"},
	{"enum ibv_qp_attr_mask {", "\tIBV_QP_WIDGET = 1 << 28,\n"},
	{"IBV_WC_TM_RNDV_INCOMPLETE,", "\tIBV_WC_WIDGET_ERR = 77,\n"},
	{"struct verbs_context {", "\tint (*make_widget)(struct ibv_context *context, int kind);\n"},
}

// newerFields stand at the end of struct ibv_device_attr_ex.
const newerFields = `	uint32_t max_widgets;
	struct ibv_widget_caps widget_caps;
	union { uint32_t one; uint64_t all; } widget_union;
	uint32_t widget_bits : 3;
`

// newerHead stands before struct ibv_device_attr_ex, and newerTail at the end.
const (
	newerHead = `typedef uint64_t ibv_widget_t;
enum { IBV_WIDGET_SMALL = 1 };
#define IBV_MAX_WIDGETS 12
struct ibv_widget_caps { ibv_widget_t sizes; union { uint8_t a; uint64_t b; } kind; };
`
	newerTail = `
struct ibv_widget_caps *ibv_create_widget(struct ibv_pd *pd, ibv_widget_t kind);
static inline int ibv_make_widget(struct ibv_context *context, int kind)
{
	struct verbs_context *vctx = verbs_get_ctx_op(context, make_widget);

	if (!vctx)
		return EOPNOTSUPP;
	return vctx->make_widget(context, kind);
}
`
)

// newerHeader writes the installed header as a later release may have it.
func newerHeader(t *testing.T, to string) {
	t.Helper()
	data, err := os.ReadFile(installedHeader)
	if err != nil {
		t.Skip("libibverbs-dev is not installed: ", err)
	}
	text := string(data)
	for _, e := range newerEdits {
		if !strings.Contains(text, e.behind) {
			t.Fatalf("%s has no %q", installedHeader, e.behind)
		}
		text = strings.Replace(text, e.behind, e.behind+"\n"+e.text, 1)
	}
	at := strings.Index(text, "struct ibv_device_attr_ex {")
	end := at + strings.Index(text[at:], "\n};") + 1
	text = text[:at] + newerHead + text[at:end] + newerFields + text[end:]
	at = strings.LastIndex(text, "#ifdef __cplusplus")
	text = text[:at] + newerTail + text[at:]
	if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// complaints reports whether the command said more on standard error than that a machine has no C compiler here.
func complaints(wrong *strings.Builder) bool {
	for line := range strings.Lines(wrong.String()) {
		if !strings.HasSuffix(line, ": there is no C compiler for it\n") {
			return true
		}
	}
	return false
}

// TestNewerHeader generates from the installed verbs.h with what a later release may add: without a page for it that is refused, with
// --allow-undecided it is left out and named, and the package builds.
func TestNewerHeader(t *testing.T) {
	dir := t.TempDir()
	header, out := filepath.Join(dir, "verbs.h"), filepath.Join(dir, "verbs")
	newerHeader(t, header)
	var said, wrong strings.Builder
	args := []string{"generate", "--header", header, "-I", "/usr/include", "-o", out}
	if code := run(t.Context(), args, &said, &wrong); code != exitError ||
		!strings.Contains(wrong.String(), "field max_widgets of struct ibv_device_attr_ex") {
		t.Fatalf("without --allow-undecided: status %d, %s%s", code, &said, &wrong)
	}
	said.Reset()
	wrong.Reset()
	if code := run(t.Context(), append(args, "--allow-undecided"), &said, &wrong); code != exitOK || complaints(&wrong) {
		t.Fatalf("status %d, %s", code, &wrong)
	}
	for _, name := range []string{
		"11 declarations left out", ": ibv_create_widget\n", ": ibv_make_widget\n", ": struct ibv_widget_caps\n", ": IBV_MAX_WIDGETS\n",
		": IBV_WIDGET_SMALL\n",
		": field max_widgets of", ": field widget_caps of", ": field widget_union.one of", ": field widget_union.all of",
		": field widget_bits of",
		": IBV_QP_WIDGET of enum ibv_qp_attr_mask\n",
	} {
		if !strings.Contains(said.String(), name) {
			t.Errorf("%q is not named in\n%s", name, &said)
		}
	}
	if testing.Short() {
		return
	}
	buildAlone(t, dir)
}

// buildAlone builds and tests the package verbs below a folder in a module of its own, offline.
func buildAlone(t *testing.T, dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/newer\n\ngo 1.26\n\nrequire github.com/verbsgen/verbsgen v0.0.0\n\nreplace " +
		"github.com/verbsgen/verbsgen => " + root + "\n"
	for name, data := range map[string][]byte{"go.mod": []byte(mod), "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "./verbs") // vets it too
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%s", err, text)
	}
}
