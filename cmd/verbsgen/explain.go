package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/check"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/regular"
)

func (a *app) explainCmd() *cobra.Command {
	var src source
	var capsFile, casesFile string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain VERB [name=value ...] [flags]",
		Short: "tell whether a call is allowed, by which rules, and why not",
		Long: `explain judges a call by the rules of its page. Arguments are given by the parameter names of verbs.h;
what is left out is valid and neutral (num_sge: the length of sg_list). A value is an integer, NULL, a C
name or several joined by "|", "@" and a name for any valid object (two names are two objects), or a YAML
map or list for a struct or an array; a field may be named with dots:

  verbsgen explain ibv_reg_mr access=IBV_ACCESS_REMOTE_WRITE
  verbsgen explain ibv_alloc_dm attr.length=4096 attr.log_align_req=6
  verbsgen explain ibv_modify_qp 'qp={qp_type: IBV_QPT_RC, state: IBV_QPS_RESET}'

--caps FILE gives what the device can do, as a YAML map of dotted names (device_attr.max_mr_size: 4096);
rules on capabilities that are not given are not checked.

--cases FILE ("-" for standard input) judges a YAML list of {id, verb, args: {name: value}, caps} and prints
a JSON list of {id, verdict, rules, messages} in the same order. The verdict is accept, reject, or unknown:
for a verb or a name that there is no entry for, and for a value that the argument cannot have, as it is
of another type or out of the range of its C type; the message says which. A lint is a message, never a
reject. The exit code is 0 whatever the verdicts; it is 1 for a file that is not YAML, not a list, or has
a case without a verb.

A capability that no struct has, and a property of an object (pd: {colour: 1}) that no rule knows, are
told in a message and not looked at; but a property that resembles a known one is taken for a slip, and
the verdict is unknown, as for a field that a struct does not have.`,
		RunE: do(func(cmd *cobra.Command, args []string) error {
			switch {
			case casesFile != "" && len(args) > 0:
				return usagef("--cases takes its calls from the file; do not give a verb beside it")
			case casesFile == "" && len(args) == 0:
				return usagef("give a verb, or --cases FILE")
			}
			if err := src.check(); err != nil {
				return err
			}
			caps, err := readCaps(capsFile)
			if err != nil {
				return err
			}
			if casesFile != "" {
				return a.explainCases(src, casesFile, caps, cmd.InOrStdin())
			}
			return a.explainCall(src, args, caps, asJSON)
		}),
	}
	src.factFlags(cmd)
	src.specFlag(cmd)
	cmd.Flags().StringVar(&capsFile, "caps", "", "capabilities of the device, a YAML `file`")
	cmd.Flags().StringVar(&casesFile, "cases", "", "judge the calls listed in this YAML `file`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (--cases always does)")
	return cmd
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
		return nil, diag.One(diag.New(diag.InputRead, file, 0, 0, "input", "cannot be read: "+reason(err), inputFix(err)))
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
func (a *app) explainCases(src source, file string, caps map[string]any, stdin io.Reader) error {
	data, err := readInput(file, stdin)
	if err != nil {
		return err
	}
	calls, err := spec.ParseCases(file, data)
	if err != nil {
		return err
	}
	rel, sp, err := load(src)
	if err != nil {
		return err
	}
	cases := make([]check.Case, len(calls))
	for i, c := range calls {
		cases[i] = check.Case{ID: c.ID, Verb: c.Verb, Args: c.Args, Caps: merged(caps, c.Caps), Problems: c.Problems}
	}
	return writeJSON(a.out, check.New(sp, rel).EvaluateAll(cases))
}

// merged lays b over a.
func merged(a, b map[string]any) map[string]any {
	if len(a) == 0 {
		return b
	}
	m := make(map[string]any, len(a)+len(b))
	for k, v := range a {
		m[k] = v
	}
	for k, v := range b {
		m[k] = v
	}
	return m
}

// explainCall judges one call from the command line.
func (a *app) explainCall(src source, args []string, caps map[string]any, asJSON bool) error {
	values, err := readArgs(args[1:])
	if err != nil {
		return err
	}
	rel, sp, err := load(src)
	if err != nil {
		return err
	}
	r := check.New(sp, rel).Evaluate(check.Case{Verb: args[0], Args: values, Caps: caps})
	if asJSON {
		return writeJSON(a.out, r)
	}
	return writeVerdict(a.out, sp, args[0], r)
}

// readArgs reads name=value words; dots in a name lead into a struct.
func readArgs(words []string) (map[string]any, error) {
	values := map[string]any{}
	var errs diag.List
	for _, w := range words {
		name, text, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, usagef("argument %q is not of the form name=value", w)
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

// writeVerdict prints the judgement of one call for a terminal.
func writeVerdict(w io.Writer, sp *spec.Spec, verb string, r check.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", verb, r.Verdict)
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "  %s\n", m)
	}
	for _, id := range append(r.Rules[:len(r.Rules):len(r.Rules)], r.Lints...) {
		if rule := sp.RuleByID(id); rule != nil {
			fmt.Fprintf(&b, "  %s: %s\n", id, whereFrom(rule))
			if rule.Note != "" {
				fmt.Fprintf(&b, "    %s\n", rule.Note)
			}
		}
	}
	if r.Verdict != check.Unknown {
		fmt.Fprintf(&b, "  judged by %s: verbsgen rules %s\n", plural(len(sp.RulesOf(verb)), "rule"), verb)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
