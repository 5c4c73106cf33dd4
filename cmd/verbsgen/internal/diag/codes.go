package diag

import (
	"slices"

	"github.com/verbsgen/verbsgen/spec"
)

// Code names a kind of diagnostic. It is not printed: it ties each diagnostic to the golden script that pins its
// text. Every code stands in [table], and a test of the command fails for one that no script shows.
type Code = string

// The command line and the top level.
const (
	Internal  Code = "internal"  // an error that no phase foresaw
	Usage     Code = "usage"     // exit 2
	Directive Code = "directive" // a go:generate line that check follows

	PagesDiffer Code = "pages-differ" // a clone whose pages are not those of the command
)

// The header and its facts.
const (
	HeaderRead        Code = "header-read"        // the file cannot be read
	HeaderEmpty       Code = "header-empty"       // nothing in it
	HeaderBinary      Code = "header-binary"      // not text
	HeaderNotUTF8     Code = "header-not-utf8"    // text in another encoding
	HeaderInclude     Code = "header-include"     // an included file is not found
	HeaderSyntax      Code = "header-syntax"      // does not parse: truncated, or not C
	HeaderIncomplete  Code = "header-incomplete"  // an undefined struct is used by value
	HeaderUnsupported Code = "header-unsupported" // a construct whose layout is not computed, or that cannot be declared again
	HeaderNoVerbs     Code = "header-no-verbs"    // C, but without a single declaration of its own
	HeaderLacks       Code = "header-lacks"       // a declaration that must be there is not
	HeaderContradicts Code = "header-contradicts" // a value or layout that differs from that of every known release
)

// The library that symbol versions are read from.
const (
	LibraryRead  Code = "library-read"  // not a shared library
	LibraryLacks Code = "library-lacks" // a function of the header is not exported
	CheckoutRead Code = "checkout-read" // a commit of rdma-core cannot be read, or is of another release
)

// Releases.
const (
	ReleaseUnknown Code = "release-unknown" // no facts for it
)

// Joining the facts with the specs.
const (
	OnlyNoMatch      Code = "only-no-match"     // --only matches nothing
	GoNameTwice      Code = "go-name-twice"     // two C names get one Go name
	NameUnknown      Code = "name-unknown"      // a C name of the spec that the header lacks
	TypeUnknown      Code = "type-unknown"      // a Go type of the spec that no page defines
	FieldUndecided   Code = "field-undecided"   // a field neither shown nor hidden
	MemberUndecided  Code = "member-undecided"  // an enumerator of a bound enum that no page takes or skips
	ParamUndecided   Code = "param-undecided"   // a parameter that the spec does not describe
	MirrorImpossible Code = "mirror-impossible" // a struct that Go cannot mirror
	SymbolPrivate    Code = "symbol-private"    // a function at a private symbol version
	DispatchUnknown  Code = "dispatch-unknown"  // an inline function that does more than dispatch
	SpecialChanged   Code = "special-changed"   // the header's body or declaration is not the one that text was written for
	RuleOperand      Code = "rule-operand"      // an operand of a rule that cannot be resolved
	RuleErrno        Code = "rule-errno"        // an errno of a rule that has no effect
	TypeMismatch     Code = "type-mismatch"     // a C type is not what the page takes it for
	ValueRange       Code = "value-range"       // a constant does not fit into its Go type
	PageGo           Code = "page-go"           // what a page asks for gives no Go
	Undecided        Code = "undecided"         // a declaration neither bound, skipped nor pending
	NothingBound     Code = "nothing-bound"     // no function of the header is on a page
)

// Questions about rules and calls.
const (
	VerbUnknown Code = "verb-unknown" // no page describes it
	InputRead   Code = "input-read"   // a file of cases or capabilities cannot be read

	ConfigFlag Code = "config-flag" // a setting of verbsgen.yaml contradicts a flag, or does not fit
	InitExists Code = "init-exists" // init: a file that it would write is there

	CallName      Code = "call-name"      // explain: no verb, parameter, field or constant has the name
	VerdictStrict Code = "verdict-strict" // explain --strict: a call is refused, warned of or not judged

	RuleCase      Code = "rule-case"      // accept or reject of a rule does not show what it should
	RuleUndefined Code = "rule-undefined" // a test names a rule that no page defines
)

// Pages of rules against man pages.
const (
	ManTool        Code = "man-tool"        // nothing to render man pages with
	ManRead        Code = "man-read"        // the man pages cannot be read
	PassageMoved   Code = "passage-moved"   // a rule's passage stands in another section
	PassageMissing Code = "passage-missing" // a rule's passage is not on the page
)

// Reports of the conformance suite.
const (
	ReportForm     Code = "report-form"     // not a report, or not one of this version
	CasesBroken    Code = "cases-broken"    // report --strict: a device does a case wrong
	ReleasesDiffer Code = "releases-differ" // diff --exit-code: two releases differ
)

// Output.
const (
	OutputWrite   Code = "output-write"   // the folder or a file cannot be written
	OutputForeign Code = "output-foreign" // a file in the way that verbsgen did not write
	OutputPackage Code = "output-package" // a hand-written file there belongs to another package
	OutputClash   Code = "output-clash"   // a hand-written file there declares a generated name
	OutputStale   Code = "output-stale"   // check: what is on disk is not what generate would write
)

// Entry describes a code.
type Entry struct {
	Code Code
	Says string // when it is told
}

// table lists every code, in the order of the constants above. It is never changed at run time.
var table = [...]Entry{
	{Internal, "an error that no phase foresaw: a defect of verbsgen"},
	{Usage, "the command line is wrong"},
	{Directive, "a go:generate line that check follows is wrong"},
	{PagesDiffer, "the clone that the command runs in has other pages than the command"},

	{HeaderRead, "the header cannot be read"},
	{HeaderEmpty, "the header is empty"},
	{HeaderBinary, "the header is not text"},
	{HeaderNotUTF8, "the header is not UTF-8"},
	{HeaderInclude, "an included header is not found"},
	{HeaderSyntax, "the header does not parse"},
	{HeaderIncomplete, "a struct that is never defined is used by value"},
	{HeaderUnsupported, "the layout of a type is not known, or a C compiler contradicts it, or a declaration cannot be written again"},
	{HeaderNoVerbs, "the header declares nothing"},
	{HeaderLacks, "the header lacks a declaration that every verbs.h of its release has"},
	{HeaderContradicts, "the header contradicts what all known releases agree on"},

	{LibraryRead, "the library cannot be read"},
	{LibraryLacks, "the library does not export a function of the header"},
	{CheckoutRead, "a commit of rdma-core cannot be read, or is of another release"},

	{ReleaseUnknown, "there are no facts of the release"},

	{OnlyNoMatch, "--only matches no bound function"},
	{GoNameTwice, "two C names get the same Go name"},
	{NameUnknown, "the header lacks a name of the spec"},
	{TypeUnknown, "no page defines a Go type that the spec names"},
	{FieldUndecided, "a field of a record is neither shown nor hidden"},
	{MemberUndecided, "an enumerator of a bound enum is neither taken nor skipped"},
	{ParamUndecided, "a parameter is not described"},
	{MirrorImpossible, "a struct cannot be mirrored in Go"},
	{SymbolPrivate, "a function is exported at a private version"},
	{DispatchUnknown, "an inline function does more than dispatch and has no hand-written C side"},
	{SpecialChanged, "the body of an inline function, or a declaration, is not the one that text written by hand is for"},
	{RuleOperand, "an operand of a rule cannot be resolved"},
	{RuleErrno, "the errno of a rule has no effect"},
	{TypeMismatch, "a C type of the header is not what a page takes it for"},
	{ValueRange, "the value of a constant does not fit into its Go type"},
	{PageGo, "what is generated for an entry of a page does not compile"},
	{Undecided, "a declaration is neither bound, skipped nor pending"},
	{NothingBound, "no page binds a function of the header"},

	{VerbUnknown, "no page describes the verb"},
	{InputRead, "a file of cases or capabilities cannot be read"},
	{ConfigFlag, "a setting of verbsgen.yaml contradicts a flag, or does not fit"},
	{InitExists, "init: a file that it would write exists"},
	{CallName, "explain: no verb, parameter, field or constant has the name"},
	{VerdictStrict, "explain --strict: a call is refused, warned of or not judged"},

	{RuleCase, "a case of a rule does not show what it should"},
	{RuleUndefined, "a test names a rule that no page defines"},

	{ManTool, "nothing is installed to render man pages with"},
	{ManRead, "the man pages cannot be read"},
	{PassageMoved, "the passage of a rule is in another section"},
	{PassageMissing, "the passage of a rule is not on the page"},

	{ReportForm, "a file is not a report of the conformance suite"},
	{CasesBroken, "report --strict: a device does a case wrong"},
	{ReleasesDiffer, "diff --exit-code: two releases differ"},

	{OutputWrite, "the output cannot be written"},
	{OutputForeign, "a file in the way was not written by verbsgen"},
	{OutputPackage, "a hand-written file beside the output belongs to another package"},
	{OutputClash, "a hand-written file beside the output declares a generated name"},
	{OutputStale, "the output on disk is not what the facts and the spec give"},
}

// Codes lists every code: those of the table, then those of package spec.
func Codes() []Entry {
	all := slices.Clone(table[:])
	for _, c := range spec.Codes() {
		all = append(all, Entry{c, "a mistake in a YAML file: see the constants of package spec"})
	}
	return all
}

// Known reports whether a code is one of Codes.
func Known(c Code) bool {
	return slices.ContainsFunc(table[:], func(e Entry) bool { return e.Code == c }) || slices.Contains(spec.Codes(), c)
}
