package diag

// Code names a kind of diagnostic. It is not printed. It ties each diagnostic to the golden script that pins its
// text: a test of the command fails for a code that no script shows. Package spec has the codes of mistakes in YAML files.
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
