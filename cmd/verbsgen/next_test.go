package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nextEdits make the next release of the installed header, with three functions, two fields and their bit, a status of completions, and
// a part of flows: each puts a text behind the first place where another one is.
var nextEdits = []struct{ behind, text string }{
	{"IBV_WC_TM_RNDV_INCOMPLETE,", "\tIBV_WC_CONGESTION_ERR,\n"},
	{"enum ibv_qp_init_attr_mask {", "\tIBV_QP_INIT_ATTR_PACING = 1 << 20,\n"},
	{"uint64_t send_ops_flags;", "\tuint32_t pacing_rate;\n\tuint32_t pacing_burst;\n"},
	{"enum ibv_flow_spec_type {", "\tIBV_FLOW_SPEC_ICMP = 0x61,\n"},
	{"\nstruct ibv_flow_spec {\n\tunion {", "\t\tstruct ibv_flow_spec_icmp icmp;\n"},
	{"struct verbs_context {", "\tint (*query_cq_load)(struct ibv_cq *cq, uint32_t *load);\n"},
}

// Declarations before struct ibv_flow_spec, and at the end.
const (
	nextFlow = `struct ibv_flow_icmp_filter { uint8_t type; uint8_t code; uint16_t ident; };
struct ibv_flow_spec_icmp {
	enum ibv_flow_spec_type type;
	uint16_t size;
	struct ibv_flow_icmp_filter val;
	struct ibv_flow_icmp_filter mask;
};

`
	nextTail = `
int ibv_query_port_pause(struct ibv_context *context, uint32_t port_num, uint64_t *frames);
int ibv_set_qp_pacing(struct ibv_qp *qp, uint32_t rate, uint32_t burst);
static inline int ibv_query_cq_load(struct ibv_cq *cq, uint32_t *load)
{
	struct verbs_context *vctx = verbs_get_ctx_op(cq->context, query_cq_load);

	if (!vctx)
		return EOPNOTSUPP;
	return vctx->query_cq_load(cq, load);
}
`
)

// nextHeader writes that header.
func nextHeader(t *testing.T, to string) {
	t.Helper()
	data, err := os.ReadFile(installedHeader)
	if err != nil {
		t.Skip("libibverbs-dev is not installed: ", err)
	}
	text := string(data)
	for _, e := range nextEdits {
		if !strings.Contains(text, e.behind) {
			t.Fatalf("%s has no %q", installedHeader, e.behind)
		}
		text = strings.Replace(text, e.behind, e.behind+"\n"+e.text, 1)
	}
	text = strings.Replace(text, "\nstruct ibv_flow_spec {\n", "\n"+nextFlow+"struct ibv_flow_spec {\n", 1)
	at := strings.LastIndex(text, "#ifdef __cplusplus")
	if err := os.WriteFile(to, []byte(text[:at]+nextTail+text[at:]), 0o666); err != nil {
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

// TestNextRelease takes a release that does not exist from its header to bindings, as docs/new-release.md does: scaffold drafts the
// pages, and generate, which type-checks what it writes, makes the package from them. No code knows the new names.
func TestNextRelease(t *testing.T) {
	dir := t.TempDir()
	header, draft, out := filepath.Join(dir, "verbs.h"), filepath.Join(dir, "draft"), filepath.Join(dir, "verbs")
	nextHeader(t, header)
	verbsgen := func(args ...string) string {
		t.Helper()
		var said, wrong strings.Builder
		if code := run(t.Context(), append(args, "--header", header, "-I", "/usr/include"), &said, &wrong); code != exitOK || complaints(&wrong) {
			t.Fatalf("%s: status %d, %s", args[0], code, &wrong)
		}
		return said.String()
	}
	if said := verbsgen("scaffold", "-o", draft); !strings.Contains(said, "5 files in "+draft+": 3 functions bound, 0 declarations skipped") {
		t.Errorf("scaffold: %s", said)
	}
	verbsgen("generate", "--spec", draft, "-o", out)
	var all strings.Builder
	files, err := filepath.Glob(filepath.Join(out, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	for _, want := range []string{
		"func (cq *CQ) QueryLoad() (uint32, error) {", "func (dev *Device) QueryPortPause(portNum uint32) (uint64, error) {",
		"func (qp *QP) SetPacing(rate uint32, burst uint32) error {", ") PacingRate(",
		"type FlowSpecIcmp struct {", "WCStatusCongestionErr ", "// IBV_WC_CONGESTION_ERR",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the package has no %q", want)
		}
	}
}
