package explain

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Verdicts.
const (
	Accept  = "accept"
	Warn    = "warn"    // a lint is broken: some refuse the call, or do not do what the page promises
	Reject  = "reject"  // nobody known accepts it, or the platform that is asked about refuses it
	Unknown = "unknown" // no entry for the verb, or for a name in the case
)

// Case is a call to judge.
type Case struct {
	ID   any // string, bool, *big.Int or json.Number; nil when left out
	Verb string
	// Args are keyed by parameter name; values are nil (NULL), bool, integers (Go's or *big.Int), string, []any and
	// map[string]any.
	Args map[string]any
	// Caps are capabilities by dotted path, or nested.
	Caps map[string]any
	// Problems tell what of the case could not be read before it came here.
	Problems []string
}

// Result is the judgement of one case.
type Result struct {
	ID       any
	Verdict  string
	Rules    []string // IDs of the rules that refuse the call, in the order of the pages
	Lints    []string // IDs of the lints that it breaks, but for those that the platform is known to accept or to refuse
	Messages []string // one for each broken rule and place, lints among them; or why the verdict is unknown
	// NotJudged are IDs of rules that the call may break: a capability or a property of an object is not given.
	NotJudged []string
	// OwnLimits are IDs of rules that the call fulfils, where providers have lower limits of their own.
	OwnLimits []string
	// Broken are the broken rules, each at a place of the call, with the lints whatever the platform says of them.
	Broken []Broken
	// Verb is the C name of the verb, by whatever name the case has it.
	Verb string
	// Misnamed says that no verb, parameter, field or constant has a name that the case gives it. The verdict is Unknown then.
	Misnamed bool
	// Problem says that the case cannot be read: a value of the wrong type or range. The verdict is Unknown then.
	Problem bool
}

// Broken is a rule that a call breaks: the place as a message writes it ("attr.length"), and the value there.
type Broken struct {
	Rule         *spec.Rule
	Place, Value string
}

// Reasons are the IDs of the rules that the verdict stands on.
func (r Result) Reasons() []string {
	if r.Verdict == Warn {
		return r.Lints
	}
	return r.Rules
}

// MarshalJSON returns {id, verdict, rules, messages, not_judged}, lists never null.
func (r Result) MarshalJSON() ([]byte, error) {
	id := r.ID
	if i, ok := id.(*big.Int); ok {
		id = json.Number(i.String())
	}
	list := func(l []string) []string {
		if l == nil {
			return []string{}
		}
		return l
	}
	return json.Marshal(struct {
		ID        any      `json:"id"`
		Verdict   string   `json:"verdict"`
		Rules     []string `json:"rules"`
		Messages  []string `json:"messages"`
		NotJudged []string `json:"not_judged"`
	}{id, r.Verdict, list(r.Reasons()), list(r.Messages), list(slices.Concat(r.NotJudged, r.OwnLimits))})
}

// Checker judges cases by one spec and the facts of one release. It may be used by several goroutines.
type Checker struct {
	spec     *spec.Spec
	facts    *spec.Facts
	release  string
	verbs    func() *Verbs                   // made when it is asked for
	platform spec.Platform                   // zero: any
	gates    map[string]map[string][]gate    // by verb and path of the mask
	usable   map[*spec.Rule]*judged          // only rules of which the release has all that they speak of
	tested   map[string]map[string]*api.Enum // the enum of the flags that rules test, by verb and path
}

// New makes a checker. A rule that names a flag which the release does not have yet is left out.
func New(s *spec.Spec, rel *api.Release) *Checker {
	k := &Checker{spec: s, facts: s.Module.NewFacts(rel), release: rel.Release, gates: map[string]map[string][]gate{},
		usable: map[*spec.Rule]*judged{},
		tested: map[string]map[string]*api.Enum{}}
	k.verbs = sync.OnceValue(func() *Verbs { return NewVerbs(k.spec, k.facts) })
	for _, r := range s.Rules() {
		if fn := k.facts.Func(r.Verb); fn != nil {
			if broken := r.Broken(); broken != nil && k.known(fn, r, broken) {
				k.use(r, broken)
			}
			k.findTested(r, r.Violated())
		}
	}
	k.findGates()
	return k
}

// judged is what a rule is judged by.
type judged struct {
	broken   *spec.Cond // when it is broken
	violated *spec.Cond // the same without its conditions
	walked   string     // see walked
}

// use judges a rule by a condition.
func (k *Checker) use(r *spec.Rule, broken *spec.Cond) {
	k.usable[r] = &judged{broken: broken, violated: r.Violated(), walked: walked(r, broken)}
}

// On returns a checker that judges for one platform.
func (k *Checker) On(at spec.Platform) *Checker {
	there := *k
	there.platform = at
	return &there
}

// EvaluateAll judges cases, in their order.
func (k *Checker) EvaluateAll(cases []Case) []Result {
	out := make([]Result, len(cases))
	for i, c := range cases {
		out[i] = k.Evaluate(c)
	}
	return out
}

// Evaluate judges one case.
func (k *Checker) Evaluate(c Case) Result {
	res := Result{ID: c.ID, Verdict: Unknown}
	fn, fix := k.facts.Func(c.Verb), ""
	if fn == nil {
		c.Verb, fix = k.verbs().Find(c.Verb)
		fn = k.facts.Func(c.Verb)
	}
	res.Verb = c.Verb
	if msg, misnamed := k.noEntry(c.Verb, fn, fix); msg != "" {
		res.Messages, res.Misnamed = []string{msg}, misnamed
		return res
	}
	for _, p := range c.Problems {
		res.Messages, res.Problem = append(res.Messages, c.Verb+": "+p), true
	}
	if res.Problem {
		return res
	}
	e := newCall(k, fn)
	e.readArgs(c.Args)
	e.readCaps(c.Caps)
	if len(e.problems) > 0 {
		res.Messages, res.Misnamed, res.Problem = e.problems, e.misnamed, e.malformed
		return res
	}
	res.Messages = e.notes
	for _, r := range k.spec.RulesOf(c.Verb) {
		e.add(&res, r)
	}
	switch {
	case len(res.Rules) > 0:
		res.Verdict = Reject
	case len(res.Lints) > 0:
		res.Verdict = Warn
	default:
		res.Verdict = Accept
	}
	return res
}

// noEntry reports why there is nothing to judge a verb by; empty when there is. Misnamed says that no verb has the name.
func (k *Checker) noEntry(verb string, fn *api.Function, fix string) (msg string, misnamed bool) {
	entry := k.spec.VerbByC(verb) != nil || len(k.spec.RulesOf(verb)) > 0
	switch {
	case fn != nil && entry:
		return "", false
	case fn == nil && entry:
		return fmt.Sprintf("%s: %s does not have this verb", verb, k.of()), false
	case k.spec.SkipByC(verb) != nil:
		return fmt.Sprintf("%s: skipped: %s", verb, k.spec.SkipByC(verb).Reason), false
	case k.spec.PendingByC(verb) != nil, fn != nil:
		return fmt.Sprintf("%s: not judged: no page describes this verb yet", verb), false
	}
	msg = fmt.Sprintf("%s: no such verb", quoted(verb))
	if fix != "" {
		msg += "; " + fix
	}
	return msg, true
}

// of names the facts in messages.
func (k *Checker) of() string {
	if k.release == "" {
		return "the header"
	}
	return "release " + k.release
}
