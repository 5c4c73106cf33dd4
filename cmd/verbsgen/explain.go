package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/regular"
)

// question is what the calls are judged with, beside the rules.
type question struct {
	caps     map[string]any
	platform spec.Platform
	strict   bool
	asJSON   bool
}

const explainHelp = `explain judges a call by the rules of its function. Arguments have the parameter
names of verbs.h; an argument that is left out counts as valid and neutral
(num_sge: the length of sg_list). A value is one of

  an integer, or NULL
  the name of a constant, or several names joined by "|"
  @NAME, which stands for a valid object; two names are two objects
  a YAML map for a struct, or a YAML list for an array

The name of a field may be written with dots:

  verbsgen explain ibv_reg_mr access=IBV_ACCESS_REMOTE_WRITE
  verbsgen explain ibv_alloc_dm attr.length=4096 attr.log_align_req=6
  verbsgen explain ibv_modify_qp 'qp={qp_type: IBV_QPT_RC}' attr_mask=0
  verbsgen explain ibv_post_send 'wr=[{opcode: IBV_WR_SEND}]'

In C, the specs of a flow follow its struct, and no field holds them. List them
as specs, each with its type. num_of_specs need not be given, as it is their
number:

  verbsgen explain create_flow 'flow.specs=[{type: IBV_FLOW_SPEC_ETH}]'

Names may also be those in Go, or without the prefix that messages leave out:

  verbsgen explain RegMR access=MRAccessRemoteWrite
  verbsgen explain AllocDM AllocDMAttr.Length=4096
  verbsgen explain reg_mr access='REMOTE_WRITE|LOCAL_WRITE'

The verdict is one of

  accept   no rule is broken, or the given provider and kernel accept the call
  warn     some providers or kernels refuse the call, or do not do what the man
           page promises; the message says who accepts and who refuses it
  reject   nobody known accepts the call from FLOOR
           on, or it corrupts memory
  unknown  no page describes the verb, or a value does not fit the C type of its
           argument; the message says which

The exit code is 0 for every verdict. It is 1 for a verb, a field or a flag that
does not exist, and the error names what was likely meant. With --strict it is
also 1 when the verdict is anything but "accept".

--provider and --kernel say where the program runs, such as --provider mlx5
--kernel 6.12 (or the output of uname -r). A warning becomes accept when that
provider and kernel are known to accept the call, and reject when they are known
to refuse it. Older kernels, and mlx5-vfio (mlx5 driven by the program itself),
may accept calls that others reject.

--caps FILE has the capabilities of the device, as a YAML map of dotted names
(device_attr.max_mr_size: 4096). port_attr.gid_tbl_len is for every port,
port_attr[2].gid_tbl_len for one. A rule is listed as not judged if it needs a
capability or a property of an object that is not given, or if each provider has
its own limit, as for inline data.

--cases FILE ("-" for standard input) judges a YAML list of {id, verb, args:
{name: value}, caps} and prints a JSON list of {id, verdict, rules, messages,
not_judged} in the same order; rules are those that decide the verdict. A name
that does not exist gives its case the verdict unknown. The exit code is 1 for a
file that is not YAML or not a list, or that has a case without a verb, or more
than 16 MiB or 1,572,864 lists, mappings and values: split it.

If a case sets a capability that no struct of device attributes has, explain
ignores it and says so. It does the same with a property of an object that no
rule uses, such as colour in pd: {colour: 1}. But a name that is close to a
known one is an error, as a likely misspelling.`

func (a *app) explainCmd() *cobra.Command {
	var src source
	var q question
	var capsFile, casesFile, provider, kernel string
	cmd := &cobra.Command{
		Use:   "explain VERB [name=value ...] [flags]",
		Short: "say whether a call is allowed, and which rules decide",
		Long:  strings.Replace(explainHelp, "FLOOR", spec.Floor(), 1),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			switch {
			case casesFile != "" && len(args) > 0:
				return usagef("--cases reads the calls from the file; do not give a verb as well")
			case casesFile == "" && len(args) == 0:
				return usagef("give a verb, or --cases FILE")
			}
			err := src.check()
			if err != nil {
				return err
			}
			if q.platform, err = readPlatform(provider, kernel); err != nil {
				return err
			}
			q.platform.Release, _ = spec.ParseKernel(src.Release) // without --release, any
			if q.caps, err = readCaps(capsFile); err != nil {
				return err
			}
			if casesFile != "" {
				return a.explainCases(src, q, casesFile, cmd.InOrStdin())
			}
			return a.explainCall(src, q, args)
		}),
	}
	src.factFlags(cmd)
	src.specFlag(cmd)
	cmd.Flags().StringVar(&capsFile, "caps", "", "capabilities of the device, a YAML `file`")
	cmd.Flags().StringVar(&casesFile, "cases", "", "judge the calls listed in this YAML `file`")
	cmd.Flags().StringVar(&provider, "provider", "", "judge for this `provider` of rdma-core, such as mlx5")
	cmd.Flags().StringVar(&kernel, "kernel", "", "judge for this `release` of Linux, such as 6.12")
	cmd.Flags().BoolVar(&q.strict, "strict", false, "exit 1 when a verdict is not accept")
	cmd.Flags().BoolVar(&q.asJSON, "json", false, "print JSON (--cases always does)")
	return cmd
}

// readPlatform reads --provider and --kernel; what is not given is unknown.
func readPlatform(provider, kernel string) (at spec.Platform, err error) {
	if provider != "" && !slices.Contains(spec.Providers(), provider) {
		if like := spec.Closest(provider, spec.Providers()); like != "" {
			return at, usagef("--provider: no provider is called %q; did you mean %s?", provider, like)
		}
		return at, usagef("--provider: no provider is called %q; they are %s", provider, strings.Join(spec.Providers(), ", "))
	}
	at.Provider = provider
	if kernel == "" {
		return at, nil
	}
	var ok bool
	if at.Kernel, ok = spec.ParseKernel(kernel); !ok {
		return at, usagef("--kernel: %q is not a release of Linux; write 6.12, or what uname -r prints", kernel)
	}
	return at, nil
}

// readCaps reads a file of capabilities; no file, none.
func readCaps(file string) (map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	data, err := readInput(file, nil)
	if err != nil {
		return nil, err
	}
	return spec.ParseCaps(file, data)
}

// maxInput is the size of the largest file of cases, capabilities or a report that is read.
const maxInput = 16 << 20

// readInput reads a file, or stdin for "-".
func readInput(file string, stdin io.Reader) ([]byte, error) {
	var data []byte
	var err error
	if file == "-" && stdin != nil {
		data, err = regular.All(stdin, file, maxInput)
	} else {
		data, err = regular.Read(file, maxInput)
	}
	if err != nil {
		return nil, diag.One(diag.New(diag.InputRead, file, 0, 0, "input", "cannot be read: "+diag.Reason(err), inputFix(err)))
	}
	return data, nil
}

// inputFix says what to do about a file that cannot be read; nothing where the reason says it all.
func inputFix(err error) string {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR) {
		return "name an existing file"
	}
	return ""
}

// explainCases judges the calls of a file. Capabilities of the file's cases come over those of --caps.
func (a *app) explainCases(src source, q question, file string, stdin io.Reader) error {
	data, err := readInput(file, stdin)
	if err != nil {
		return err
	}
	calls, err := spec.ParseCases(file, data)
	if err != nil {
		return err
	}
	rel, sp, err := input.Load(src.Source)
	if err != nil {
		return err
	}
	cases := make([]explain.Case, len(calls))
	for i, c := range calls {
		cases[i] = explain.Case{ID: c.ID, Verb: c.Verb, Args: c.Args, Caps: merged(q.caps, c.Caps), Problems: c.Problems}
	}
	results := explain.New(sp, rel).On(q.platform).EvaluateAll(cases)
	if err := writeJSON(a.out, results); err != nil {
		return err
	}
	return q.judged(results...)
}

// judged is the error of --strict when a call is refused, warned of or not judged.
func (q question) judged(results ...explain.Result) error {
	if !q.strict {
		return nil
	}
	count := map[string]int{}
	for _, r := range results {
		count[r.Verdict]++
	}
	var found []string
	for _, of := range []struct{ verdict, words string }{
		{explain.Reject, "refused"}, {explain.Warn, "with a warning"}, {explain.Unknown, "not judged"},
	} {
		if n := count[of.verdict]; n > 0 {
			found = append(found, plural(n, "call")+" "+of.words)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return diag.One(diag.New(diag.VerdictStrict, "", 0, 0, "--strict", strings.Join(found, ", "), "read the messages"))
}

// merged lays b over a.
func merged(a, b map[string]any) map[string]any {
	if len(a) == 0 {
		return b
	}
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}

// explainCall judges one call from the command line.
func (a *app) explainCall(src source, q question, args []string) error {
	if _, isID := verbOfID(args[0]); isID {
		return usagef("%s is the ID of a rule, not a verb; verbsgen rules %[1]s shows it", args[0])
	}
	moduleOf(&src, args[0])
	values, err := readArgs(args[1:])
	if err != nil {
		return err
	}
	rel, sp, err := input.Load(src.Source)
	if err != nil {
		return err
	}
	r := explain.New(sp, rel).On(q.platform).Evaluate(explain.Case{Verb: args[0], Args: values, Caps: q.caps})
	switch {
	case r.Misnamed:
		return misnamed(r)
	case q.asJSON:
		err = writeJSON(a.out, r)
	default:
		err = a.show(verdictText(sp, r, q.platform, a.tty))
	}
	if err != nil {
		return err
	}
	return q.judged(r)
}

// misnamed is the error of a call with names that do not exist: its messages.
func misnamed(r explain.Result) error {
	var list diag.List
	for _, m := range r.Messages {
		subject, text, _ := strings.Cut(m, ": ")
		problem, fix, _ := strings.Cut(text, "; ")
		list.Add(diag.New(diag.CallName, "", 0, 0, subject, problem, fix))
	}
	return list
}

// readArgs reads name=value words; dots in a name lead into a struct.
func readArgs(words []string) (map[string]any, error) {
	values := map[string]any{}
	var errs diag.List
	for _, w := range words {
		name, text, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, usagef("argument %q does not look like name=value", w)
		}
		if list, _, indexed := strings.Cut(name, "["); indexed {
			return nil, usagef("argument %s: a name has no index; write the whole list: %s='[{...}, {...}]'", name, list)
		}
		v, err := spec.ParseValue(name, text)
		if err != nil {
			for _, d := range diag.From(err) {
				errs.Add(diag.New(d.Code, "", 0, 0, name, d.Problem, d.Fix))
			}
			continue
		}
		if !place(values, strings.Split(name, "."), v) {
			return nil, usagef("argument %s is given twice, or both as a whole and by field", name)
		}
	}
	return values, errs.Err()
}

// place puts a value at a path of nested maps; false where something is in the way.
func place(m map[string]any, path []string, v any) bool {
	last := len(path) - 1
	for _, key := range path[:last] {
		next, there := m[key]
		if !there {
			next = map[string]any{}
			m[key] = next
		}
		inner, ok := next.(map[string]any)
		if !ok {
			return false
		}
		m = inner
	}
	if _, there := m[path[last]]; there {
		return false
	}
	m[path[last]] = v
	return true
}

// verdictColour is the colour of each verdict.
var verdictColour = map[string]color.Attribute{
	explain.Accept: color.FgGreen, explain.Warn: color.FgYellow, explain.Reject: color.FgRed, explain.Unknown: color.FgMagenta,
}

// paintMessage colours the parts of a message: the subject, why the call is wrong, the fix, and the ID of the rule. Without colours it is
// the message.
func paintMessage(t terminal, verb, text string) string {
	head, rest := "", text
	if after, ok := strings.CutPrefix(rest, verb+": "); ok {
		head, rest = verb+": ", after
	}
	subject, rest, ok := strings.Cut(rest, ": ")
	if !ok {
		return text
	}
	id := ""
	if i := strings.LastIndex(rest, " ["); i >= 0 {
		rest, id = rest[:i], rest[i:]
	}
	why, fix, ok := strings.Cut(rest, "; ")
	if ok {
		fix = "; " + t.paint(fix, color.FgGreen)
	}
	return head + t.paint(subject, color.Bold) + ": " + why + fix + t.paint(id, color.Faint)
}

// verdictText is the judgement of one call, for people.
func verdictText(sp *spec.Spec, r explain.Result, at spec.Platform, t terminal) string {
	var b strings.Builder
	verb := r.Verb
	fmt.Fprintf(&b, "%s: %s\n", verb, t.paint(r.Verdict, verdictColour[r.Verdict], color.Bold))
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "  %s\n", paintMessage(t, verb, m))
	}
	for _, p := range sp.NeverTaken(verb, at) {
		fmt.Fprintf(&b, "  every call of %s fails with %s: %s\n", verb, &p, p.Source)
	}
	for _, id := range slices.Concat(r.Rules, r.Lints) {
		if rule := sp.RuleByID(id); rule != nil {
			fmt.Fprintf(&b, "  %s: %s\n", t.paint(id, color.Faint), whereFrom(rule))
			if rule.Note != "" && (rule.Severity != spec.SeverityLint || len(rule.AcceptedBy)+len(rule.RefusedBy) > 0) {
				fmt.Fprintf(&b, "    %s\n", rule.Note)
			}
			writeParties(&b, "accepted by", rule.AcceptedBy, t, color.FgGreen)
			writeParties(&b, "refused by", rule.RefusedBy, t, color.FgRed)
		}
	}
	for _, id := range r.OwnLimits {
		rule := sp.RuleByID(id)
		fmt.Fprintf(&b, "  not judged: %s: %s: %s\n", rule.Subject, rule.Note, t.paint(id, color.Faint))
	}
	if len(r.NotJudged) > 0 {
		fmt.Fprintf(&b, "  not judged without the capabilities or the state of objects: %s\n", strings.Join(r.NotJudged, ", "))
	}
	if r.Verdict != explain.Unknown {
		floor := ", from " + spec.Floor() + " on"
		if at.Below() {
			floor = ", which are not made for this platform but for " + spec.Floor() + " and later"
		}
		fmt.Fprintf(&b, "  judged by %s%s: verbsgen rules %s\n", plural(len(sp.RulesOf(verb))-len(r.NotJudged), "rule"), floor, verb)
	}
	return b.String()
}

// writeParties prints where it is known from who accepts or refuses a call.
func writeParties(w io.Writer, does string, list []spec.Party, t terminal, style color.Attribute) {
	for _, p := range list {
		sometimes := ""
		if len(p.When) > 0 {
			sometimes = ", not in all cases"
		}
		fmt.Fprintf(w, "    %s %s%s: %s\n", t.paint(does, style), p.Describe(), sometimes, p.Source)
	}
}
