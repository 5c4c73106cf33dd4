package spec

import (
	"cmp"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// option is what is known of the key that a field of a struct is read from. The key is the name of the field, in small letters with
// underscores between the words. What it takes follows from the type of the field, from closed, and from the words of its tag `page`:
//
//	name        the key under which the mapping itself stands
//	key=NAME    the key has another name
//	must        it may not be left out
//	own, flat   errors in entries below it name the entry alone, or only what it is in: not both
//	value       it is not a key: what stands under the name is its value
//	another     the form of what stands there: see reader
//
// The tag `c` says what the text names in C.
//
// A field with the tag "-" is read otherwise.
type option struct {
	index []int
	name  string // of the struct and the field: "Verb.Returns"
	key   string
	must  bool
	isKey bool // the option name
	value bool
	form  string
	below string // own, flat or empty
	c     string // what the text names in C: see checker.name; of a mapping with a comma between what its keys and its values name
}

// closed has the values of fields that take one of a list.
var closed = map[string][]string{
	"FlagType.Runtime": {"dpath"}, "EnumType.Runtime": {"dpath"}, "Record.Runtime": {"dpath"},
	"EnumType.Code":        {NumberMTU, NumberTimeout, NumberDelay, NumberRNR},
	"Record.Role":          {RecordIn, RecordOut, RecordEvent, RecordEntry, RecordLazy},
	"RecordField.Order":    {OrderNetwork},
	"RecordField.Callback": {CallbackMemory, CallbackAllocator, CallbackContext},
	"RecordField.Failed":   {FailedToo, FailedOnly},
	"Union.Text":           {TextIPv6},
	"Object.Memory":        {MemoryDevice, MemoryHost},
	"Object.StateFrom":     {StateObject, StateMade, StateHandle, StateMarks, StateNone},
	"Getter.Label":         {LabelHex, LabelDecimal},
	"Lack.What":            {LackSend, LackRecv, LackEvents},
	"Verb.Returns": {RetErrno, RetEither, RetNullErrno, RetArgument, RetMinus1, RetNumber, RetNegated,
		RetVoid, RetValue, RetRereg},
	"Source.Run":    {RunRXE},
	"Rule.Severity": {SeverityError, SeverityLint},
	"Rule.Needs":    {NeedsArgs, NeedsCaps, NeedsState},
}

// form is what a text has to look like.
type form struct {
	is           func(string) bool
	problem, fix string
	code         string // CodeValue if empty
}

// forms are the forms of texts, by the option that asks for them.
var forms = map[string]form{
	"":        {is: func(string) bool { return true }},
	"release": pattern(`^[0-9]+(\.[0-9]+)+$`, "is no release", `write numbers with dots between them, such as "65.0"`),
	"hash": pattern(`^[0-9a-f]{16}$`, "is no hash of a passage: it has not 16 digits of 0-9 and a-f",
		"take one that `verbsgen audit --man DIR --passages PAGE` lists"),
	"kernels":  {is: isKernels, problem: "is no range of kernels", fix: `write ">=6.12", "<6.12", "6.1..7.2" or "6.1"`},
	"releases": {is: isKernels, problem: "is no range of releases of rdma-core", fix: `write ">=34.0", "<34.0", "28.0..33.2" or "28.0"`},
	"facts": {is: isStored, problem: "names no stored facts",
		fix: "remove it: facts are stored for verbsgen's own modules only"},
	"exported": {is: isExported, problem: notExported, fix: exportedFix, code: CodeGoName},
	"errno":    pattern(`^E[A-Z0-9]+$`, "is no name of an errno", "write one like ENOENT"),
	"module":   pattern(`^[a-z][a-z0-9]*$`, "is not a name of small letters and digits", "correct it"),
	"import":   pattern(`^[A-Za-z0-9._~/-]+$`, "is not an import path of Go", "correct it"),
	"project":  pattern(`^[a-z][a-z0-9_.-]*$`, notOne, "write rdma-core, linux, or the name of another project"),
	"tag":      pattern(`^[A-Za-z0-9][A-Za-z0-9._-]*$`, notOne, "write a tag, such as v6.12.117"),
	"commit":   pattern(`^[0-9a-f]{12,40}$`, notOne, "write at least 12 of the digits of a commit"),
	"path":     pattern(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)*$`, notOne, "write its path from the root of the project"),
	"cname":    pattern(`^[A-Za-z_][A-Za-z0-9_]*$`, notOne, "write the name of one function, macro, struct, enum or table"),
	"measured": {is: isKernels, problem: notOne, fix: `write ">=6.12" or "6.1..7.2"`},
	"many":     {is: func(string) bool { return true }},
	"file":     pattern(`^[A-Za-z0-9._+-]+$`, "is not the name of a file without a folder", "correct it"),
}

// pattern is a form that an expression describes.
func pattern(expression, problem, fix string) form {
	return form{is: regexp.MustCompile(expression).MatchString, problem: problem, fix: fix}
}

// isStored reports whether facts are stored under a name.
func isStored(name string) bool {
	_, err := api.KnownOf(name)
	return err == nil
}

const notOne = "has not the form of one"

// matching reads a text of a form.
func (d *decoder) matching(to *string, f form) reader {
	return func(n *yaml.Node, at place) {
		var s string
		if d.text(&s)(n, at); s == "" {
			return
		}
		if !f.is(s) {
			d.add(n, cmp.Or(f.code, CodeValue), at.subject, at.key+": "+show(s)+" "+f.problem, f.fix)
			return
		}
		*to = s
	}
}

// optionsOf has the options of structs, by type.
var optionsOf sync.Map

func options(t reflect.Type) []option {
	if list, ok := optionsOf.Load(t); ok {
		return list.([]option)
	}
	var list []option
	for _, f := range reflect.VisibleFields(t) {
		tag, tagged := f.Tag.Lookup("page")
		if !f.IsExported() || f.Anonymous || tag == "-" || f.Name == "Pos" {
			continue
		}
		o := option{index: f.Index, name: t.Name() + "." + f.Name, key: snake(f.Name), c: f.Tag.Get("c")}
		for _, word := range strings.Split(tag, ",") {
			key, named := strings.CutPrefix(word, "key=")
			switch {
			case !tagged:
			case named:
				o.key = key
			case word == "must":
				o.must = true
			case word == "name":
				o.isKey = true
			case word == "value":
				o.value = true
			case word == "own" || word == "flat":
				o.below = word
			default:
				o.form = word
			}
		}
		list = append(list, o)
	}
	optionsOf.Store(t, list)
	return list
}

// find returns the first option of a struct that fulfils a condition, or nil.
func find(t reflect.Type, is func(*option) bool) *option {
	list := options(t)
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// snake is the key of a field: needs_verbs of NeedsVerbs, iova of IOVA.
func snake(field string) string {
	var b strings.Builder
	small := false
	for _, r := range field {
		if unicode.IsUpper(r) && small {
			b.WriteByte('_')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// keys are those of the mapping that is read into a struct.
func (d *decoder) keys(to any) []key {
	v := reflect.ValueOf(to).Elem()
	list := options(v.Type())
	keys := make([]key, 0, len(list))
	for _, o := range list {
		if !o.isKey {
			keys = append(keys, key{o.key, o.must, d.reader(v.FieldByIndex(o.index).Addr().Interface(), o)})
		}
	}
	return keys
}

// reader returns what reads into a field.
func (d *decoder) reader(to any, o option) reader {
	switch to := to.(type) {
	case *string:
		return d.textAs(to, o)
	case *[]string:
		switch o.form {
		case "", "operand":
			return d.many(to, func(s *string) reader { return d.textAs(s, o) })
		case "marked":
			return d.marked(d.many(to, d.text))
		}
		return d.oneOrMore(to, forms[o.form])
	case *map[string]string:
		if o.form == "" && closed[o.name] == nil {
			o.form = "operand"
		}
		return d.textMap(to, func(s *string) reader { return d.textAs(s, o) })
	case *bool:
		return d.truth(to)
	case **bool:
		return d.truthPtr(to)
	case *int:
		if most, ok := strings.CutPrefix(o.form, "most="); ok {
			n, _ := strconv.ParseInt(most, 10, 64)
			return d.count(to, n)
		}
		return d.width(to)
	case **role.Role:
		return d.role(to)
	case *Fix:
		return d.fix(to)
	case *Sources:
		return d.sources(to)
	case *Case:
		return d.call(to)
	case *[]Plain:
		return d.plainPassages(to)
	}
	return d.structs(reflect.ValueOf(to).Elem(), o)
}

// textAs reads a text, of the form that its field has.
func (d *decoder) textAs(to *string, o option) reader {
	if values := closed[o.name]; values != nil {
		return d.oneOf(to, values...)
	}
	switch o.form {
	case "operand":
		return d.operand(to)
	case "local":
		return d.local(to)
	case "party":
		return d.oneOf(to, d.parties...)
	}
	return d.matching(to, forms[o.form])
}

// structs reads a struct behind a pointer, a list of structs, or structs by name.
func (d *decoder) structs(v reflect.Value, o option) reader {
	if v.Kind() == reflect.Pointer {
		return func(n *yaml.Node, at place) {
			if o.below == "" {
				at = place{at.subject + "." + o.key, ""}
			}
			v.Set(reflect.New(v.Type().Elem()))
			d.read(v.Interface(), n, n, at)
		}
	}
	if find(v.Type().Elem(), func(o *option) bool { return o.isKey }) == nil {
		return func(n *yaml.Node, at place) {
			if o.form == "some" {
				d.notEmpty(n, at)
			}
			d.list(n, at, func(e *yaml.Node) {
				x := reflect.New(v.Type().Elem())
				d.read(x.Interface(), e, e, at)
				v.Set(reflect.Append(v, x.Elem()))
			})
		}
	}
	return func(n *yaml.Node, at place) {
		had := v.Len()
		d.named(func(name string, k, e *yaml.Node) {
			if i := indexOf(v.Slice(0, had), name); i >= 0 && o.key != "methods" && o.key != "skip" { // whose names are claims
				d.clash(k, at, name, posOf(v.Index(i)))
				return
			}
			at := at
			switch o.below {
			case "own":
				at = place{name, ""}
			case "flat":
				at.key += "." + name
			default:
				at = place{at.subject + "." + name, ""}
			}
			v.Set(reflect.Append(v, d.namedStruct(v.Type().Elem(), name, k, e, at)))
		})(n, at)
	}
}

// namedStruct reads one of several structs by name.
func (d *decoder) namedStruct(t reflect.Type, name string, k, e *yaml.Node, at place) reflect.Value {
	x := reflect.New(t)
	o := find(t, func(o *option) bool { return o.isKey })
	x.Elem().FieldByIndex(o.index).SetString(name)
	switch o.form {
	case "exported":
		d.goType(k, name)
	case "method":
		d.goMethod(k, name)
	}
	d.read(x.Interface(), k, e, at)
	return x.Elem()
}

// checked is a struct of which more is checked than each key by itself. Whole is false for an entry with mistakes, and for one that only
// adds to another.
type checked interface {
	check(d *decoder, k, v *yaml.Node, at place, whole bool)
}

// limited is a struct of which some keys depend on where it stands or on others.
type limited interface {
	limit(n *yaml.Node, at place, keys []key) []key
}

// read reads a mapping into a struct; at is what its errors name.
func (d *decoder) read(to any, k, v *yaml.Node, at place) {
	of := reflect.ValueOf(to).Elem()
	if e := of.FieldByName("Entry"); e.IsValid() {
		defer d.marking(e.Addr().Interface().(*Entry))()
	}
	whole := d.adding == nil
	if pos := of.FieldByName("Pos"); pos.IsValid() && whole {
		pos.Set(reflect.ValueOf(d.pos(k)))
	}
	if o := find(of.Type(), func(o *option) bool { return o.value }); o != nil {
		d.reader(of.FieldByIndex(o.index).Addr().Interface(), *o)(v, place{at.subject, o.key})
		return
	}
	keys := d.keys(to)
	if x, is := to.(limited); is {
		keys = x.limit(v, at, keys)
	}
	ok := d.object(v, at, keys)
	if x, is := to.(checked); is {
		x.check(d, k, v, at, ok && whole)
	}
}
