package plan

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// A property is what every face of a verb must have. It gives what is wrong with a plan.
type property func(w *world, m *Method) []string

// properties are all of them, by name.
var properties = map[string]property{
	"entered": entered, "one device": oneDevice, "checked": checked, "called": calledOnce, "refused": refusedFirst,
	"held": heldUntilKept, "adopted": adoptedOnce, "returned": returned, "defined": defined, "readable": readable,
	"filled": filled, "updated": updated, "byte order": byteOrder, "arms": armsPacked, "pointers": pointersPlaced,
	"hinted": hinted,
}

// world is what the properties know beside a plan: the types of the package.
type world struct {
	root    string                   // object that the others are made from, "" where there is none
	objects map[string]*model.Object // by Go name
	fields  map[string][]Var         // of struct types that are no handles
	funcs   []string                 // functions of the package
}

func newWorld(pkg *model.Package, p *Package) *world {
	w := &world{root: rootName(pkg), objects: map[string]*model.Object{}, fields: map[string][]Var{}}
	for _, o := range pkg.Objects {
		w.objects[o.Go] = o
	}
	all := append(slices.Clone(p.Lib), p.Records...)
	for _, f := range p.Objects {
		all = append(all, f.Decls...)
	}
	for _, d := range all {
		if s, ok := d.(*Struct); ok && w.objects[s.Name] == nil {
			w.fields[s.Name] = s.Fields
		}
		if m, ok := d.(*Method); ok && m.Recv.Name == "" {
			w.funcs = append(w.funcs, m.Name)
		}
	}
	return w
}

func rootName(pkg *model.Package) string {
	if pkg.Root == nil {
		return ""
	}
	return pkg.Root.Go
}

// handles returns the handles that a method is given, by path: the receiver, parameters, and those in a builder.
func (w *world) handles(m *Method) map[string]*model.Object {
	out := map[string]*model.Object{}
	for _, v := range append([]Var{m.Recv}, m.Params...) {
		name, pointer := strings.CutPrefix(v.Type, "*")
		if o := w.objects[name]; o != nil && pointer {
			out[v.Name] = o
		} else if pointer && strings.Contains(name, "/") { // of another package
			out[v.Name] = nil
		}
		for _, f := range w.fields[name] {
			if o := w.objects[strings.TrimPrefix(f.Type, "*")]; o != nil && f.Type[0] == '*' {
				out[v.Name+"."+f.Name] = o
			}
		}
	}
	return out
}

// flat lists the steps in order, with those under a step, and in a function that a step calls, behind it.
func flat(steps []Step) (out []Step) {
	for _, s := range steps {
		out = append(out, s)
		if try, ok := s.(Try); ok {
			for _, a := range try.Call.Args {
				if a.Func != nil {
					out = append(out, flat(a.Func.Then)...)
				}
			}
		}
		if then := reflect.ValueOf(s).FieldByName("Then"); then.IsValid() {
			out = append(out, flat(then.Interface().([]Step))...)
		}
	}
	return out
}

// at gives the places of the steps of a type.
func at[S Step](steps []Step) (places []int) {
	for i, s := range steps {
		if _, ok := s.(S); ok {
			places = append(places, i)
		}
	}
	return places
}

// assigns returns the places of the steps that store by an operator; that of calls is empty.
func assigns(steps []Step, op string) (places []int) {
	for i, s := range steps {
		if a, ok := s.(Assign); ok && a.Op == op {
			places = append(places, i)
		}
	}
	return places
}

// reach returns the place of what reaches C: a call, or a crossing into the data path; -1 without one.
func reach(steps []Step) int {
	for i, s := range steps {
		switch s.(type) {
		case Call, Batch:
			return i
		}
	}
	return -1
}

// entered: every handle is entered before a rule looks at it and before the call. The data path does not enter handles, and
// refuses one that is gone.
func entered(w *world, m *Method) (wrong []string) {
	steps := flat(m.Steps)
	first := reach(steps)
	if first < 0 {
		return nil
	}
	if c := at[Check](steps); len(c) > 0 {
		first = min(first, c[0])
	}
	began := map[string]bool{}
	for _, s := range steps[:first] {
		switch s := s.(type) {
		case Enter:
			began[s.Handle] = true
		case EnterOther:
			began[s.Handle] = true
		case LendOther:
			began[s.Attr] = true
		case FillOther: // a record without handles
			began[s.Record] = true
		case Refuse:
			if _, hot := steps[first].(Batch); hot && s.When.Text == "==" && s.When.Args[1].is(null) { // whose gate the call goes through
				began[s.When.Args[0].Path] = true
			}
		}
	}
	for h := range w.handles(m) {
		if !began[h] {
			wrong = append(wrong, h+" is used and not entered before")
		}
	}
	return wrong
}

// rootOf is the device of the receiver.
func (w *world) rootOf(m *Method) string {
	if m.Recv.Type == "*"+w.root {
		return m.Recv.Name
	}
	return m.Recv.Name + ".dev"
}

// placeOf is the C name of the place of a handle: of a parameter, or of a field of one.
func (w *world) placeOf(m *Method, handle string) string {
	name, field, inside := strings.Cut(handle, ".")
	for _, p := range m.Verb.Params {
		if p.Go != name {
			continue
		}
		if !inside {
			return p.C
		}
		for _, f := range p.Record.Fields {
			if f.Object != nil && Kept(p.Record, f) == field {
				return f.C
			}
		}
	}
	return ""
}

// oneDevice: a handle beside the receiver is entered, and then refused if it is of another device, before a rule looks at it, before
// it is put to use and before the call. The data path has its own ways.
func oneDevice(w *world, m *Method) (wrong []string) {
	steps := flat(m.Steps)
	first := reach(steps)
	if len(at[Call](steps)) == 0 {
		return nil
	}
	if c := at[Check](steps); len(c) > 0 {
		first = min(first, c[0])
	}
	same := map[string]bool{}
	for _, s := range steps[:first] {
		switch s := s.(type) {
		case Enter:
			same[s.Handle] = s.Beside == m.Recv.Name && s.What == w.placeOf(m, s.Handle)
		case UseOthers: // which look at the library and the device
			same[s.Into] = s.Lib != ""
		case EnterOther:
			same[s.Handle] = same[s.Uses]
		case LendOther:
			same[s.Attr] = same[s.Uses]
		case FillOther:
			same[s.Record] = true
		case Assign:
			for _, v := range s.Values {
				if len(v.Args) == 1 {
					v = v.Args[0]
				}
				if h, isHandle := strings.CutSuffix(v.Path, ".h.C"); isHandle && h != m.Recv.Name && !same[h] {
					wrong = append(wrong, h+" is put to use before its device is known")
				}
			}
		}
	}
	for h := range w.handles(m) {
		if h != m.Recv.Name && !same[h] {
			wrong = append(wrong, h+" may be of another device than "+m.Recv.Name)
		}
	}
	return wrong
}

// checked: when the verb has rules that are held against the call, all that they look at is given to one check, before the call;
// capabilities by the device of the
// receiver, which asks for them when it has to.
func checked(w *world, m *Method) []string {
	steps := flat(m.Steps)
	first := reach(steps)
	var want, got []string
	for _, o := range m.Verb.Inputs() {
		want = append(want, o.Name)
	}
	if first < 0 || len(want) == 0 {
		return nil
	}
	c := at[Check](steps)
	if len(c) != 1 || c[0] > first {
		return []string{"the rules are not checked once before the call"}
	}
	check := steps[c[0]].(Check)
	for _, x := range append(slices.Clone(check.Inputs), check.Caps...) {
		got = append(got, x.Name)
	}
	if want := w.rootOf(m) + ".capabilities"; len(check.Caps) > 0 && check.From != want {
		return []string{"the capabilities are given by " + check.From + ", not by " + want}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return []string{fmt.Sprintf("the rules look at %v, and are given %v", want, got)}
	}
	return nil
}

// calledOnce: a plan that makes, adopts or returns what C answers calls once, with a value for each parameter of C; a call that
// may run an allocator's callbacks is told to it before.
func calledOnce(_ *world, m *Method) []string {
	steps := flat(m.Steps)
	calls := at[Call](steps)
	if len(calls) == 0 {
		if len(at[Name](m.Steps)) > 0 && !slices.ContainsFunc(m.Steps, func(s Step) bool { t, ok := s.(Try); return ok && t.Into != "" }) {
			return []string{"the verb is named and not called"}
		}
		if hot := at[Refuse](m.Steps); len(hot) > 0 && len(at[Batch](m.Steps))+len(assigns(m.Steps, "")) != 1 {
			return []string{"the data path is not called once"}
		}
		return nil
	}
	c := steps[calls[0]].(Call)
	if n := at[Name](m.Steps); len(n) != 1 || n[0] != 0 || m.Steps[0].(Name).Verb != c.Verb {
		return []string{"the plan does not begin with the name of the verb"}
	}
	if len(calls) > 1 || c.Verb != m.Verb.C {
		return []string{"the verb is not called once"}
	}
	n := len(m.Verb.Symbols()) + len(m.Verb.Params)
	switch { // a C function of its own
	case m.Verb.Reads != nil:
		n = len(readerParams)
	case m.Verb.Stream != nil:
		n = len(streamParams)
	}
	if strings.HasPrefix(c.By.Path, "raw") && len(c.By.Args) != n {
		return []string{fmt.Sprintf("the call has %d values for %d parameters", len(c.By.Args), n)}
	}
	if h, found := strings.CutSuffix(c.Failure.By, ".calls"); found {
		if before, ok := steps[calls[0]-1].(Assign); !ok || before.Values[0].Path != h+".calls.Begin" {
			return []string{"an allocator answers for the call, and is not told of its beginning"}
		}
	}
	return nil
}

// refusedFirst: a verb that the library may lack is refused before memory is held and before the call; so are nil in the place
// of a builder or a buffer, and an int that does not fit.
func refusedFirst(w *world, m *Method) []string {
	c := at[Call](m.Steps)
	if len(c) == 0 {
		return nil
	}
	refused := func(name string) bool {
		return slices.ContainsFunc(m.Steps[:c[0]], func(s Step) bool {
			r, ok := s.(Refuse)
			when := r.When.String()
			return ok && (when == name+" == nil" || when == "int(int32("+name+")) != "+name || strings.HasPrefix(when, "len("+name+") < "))
		})
	}
	for _, p := range m.Params {
		if of := m.Verb.Params; slices.ContainsFunc(of, func(q *model.Param) bool { return q.Go == p.Name && q.Null }) {
			continue // nil is NULL
		}
		if (p.Type == "int" || p.Type == "*mem.Buffer" || p.Type == "*mem.Pin" || w.fields[strings.TrimPrefix(p.Type, "*")] != nil &&
			p.Type[0] == '*') && !refused(p.Name) {
			return []string{p.Name + " is not refused where it is nil or does not fit"}
		}
	}
	for _, p := range m.Verb.Params {
		if (p.Role == role.Bytes || p.Record != nil && p.Record.Runtime != "" && p.Role == role.InRecord) && !refused(p.Go) {
			return []string{p.Go + " is not refused where it is nil or too short"}
		}
	}
	if len(m.Verb.Symbols()) == 0 || m.Verb.Special != nil && m.Verb.Special.Op {
		return nil
	}
	if !strings.HasPrefix(m.Steps[c[0]].(Call).By.Path, "raw") { // by a package of the runtime, which knows the function
		return nil
	}
	first := c[0]
	if h := holds(m.Steps); len(h) > 0 {
		first = min(first, h[0])
	}
	x, want := at[Missing](m.Steps), 1
	if m.Verb.EndedBy != nil {
		want = 2
	}
	if len(x) != want || x[0] > first {
		return []string{"a function that the library lacks is not refused before memory is held and the call is made"}
	}
	if n := len(m.Steps[x[0]].(Missing).Symbols); n != len(m.Verb.Symbols()) {
		return []string{"not all functions of the verb are looked for"}
	}
	return nil
}

// returned: a plan ends with a return of as many values as the method has results, and all that the verb filled is among them.
func returned(_ *world, m *Method) (wrong []string) {
	if reach(m.Steps) < 0 {
		return nil
	}
	last, ok := m.Steps[len(m.Steps)-1].(Return)
	if !ok || len(at[Return](m.Steps)) != 1 || len(last.Values) != len(m.Results) {
		return []string{fmt.Sprintf("the plan does not end with the return of %d results", len(m.Results))}
	}
	if len(m.Zero) != len(m.Results)-1 {
		wrong = append(wrong, "a return of an error has another number of results")
	}
	gives := func(name string) bool {
		return slices.ContainsFunc(last.Values, func(v Value) bool {
			if len(v.Args) == 1 && (strings.HasPrefix(v.Path, "ReverseBytes") || v.As == Converted || v.Type == "cmem") {
				v = v.Args[0]
			}
			return v.is(val(name))
		})
	}
	if c := at[Call](m.Steps); (counts(m.Verb) || m.Verb.Result != "") && len(c) > 0 && !gives(m.Steps[c[0]].(Call).Into) {
		wrong = append(wrong, "what the verb answers is not returned")
	}
	read := map[string]string{}
	declared := map[string]bool{}
	for _, s := range m.Steps {
		switch s := s.(type) {
		case Output:
			read[s.Mirror] = s.Into
		case FillOther:
			read[s.Record+"C"] = s.Record
			declared[s.Record+"C"] = slices.ContainsFunc(m.Steps, func(x Step) bool { return reflect.DeepEqual(x, do(result(s.Into+".Done"))) })
		case Declare:
			declared[s.Var.Name] = true
		}
	}
	for _, p := range m.Verb.Params {
		name := p.Go
		switch p.Role {
		case role.Out:
		case role.OutRecord:
			name = read[p.Go+"C"]
			declared[name] = declared[p.Go+"C"]
		case role.InOutRecord:
			if !declared[p.Go+"C"] {
				wrong = append(wrong, p.C+" is filled and not taken")
			}
			continue
		default:
			continue
		}
		if !gives(name) || !declared[name] {
			wrong = append(wrong, p.C+" is filled and not returned")
		}
	}
	if makes := at[Make](m.Steps); len(makes) > 0 && !gives(m.Steps[makes[0]].(Make).Into) {
		wrong = append(wrong, "the new object is not returned")
	}
	return wrong
}

// problems returns what is wrong with a plan, by property.
func (w *world) problems(m *Method) map[string][]string {
	out := map[string][]string{}
	for name, holds := range properties {
		if wrong := holds(w, m); len(wrong) > 0 {
			out[name] = wrong
		}
	}
	return out
}

// faces are the methods of a plan that reach C for a verb.
func faces(p *Package) (out []*Method) {
	for _, m := range methods(p) {
		if m.Verb != nil {
			out = append(out, m)
		}
	}
	return out
}

// TestProperties holds every method of the real package to the properties.
func TestProperties(t *testing.T) {
	pkg, p := realPlan(t)
	w := newWorld(pkg, p)
	calls := 0
	for _, m := range faces(p) {
		if reach(flat(m.Steps)) >= 0 {
			calls++
		}
		for name, wrong := range w.problems(m) {
			t.Errorf("%s: %s: %s\n%s", m.Name, name, strings.Join(wrong, "; "), m)
		}
	}
	if calls < 30 {
		t.Errorf("only %d methods that call", calls)
	}
}

// TestNames asks that what plans name are names, with neither operators nor calls.
func TestNames(t *testing.T) {
	_, p := realPlan(t)
	name := regexp.MustCompile(`^-?[A-Za-z0-9_.]*$`)
	var look func(of string, v reflect.Value)
	look = func(of string, v reflect.Value) {
		if x, ok := v.Interface().(Value); ok &&
			(!name.MatchString(x.Path) || x.As != Literal && x.As != Operation && !name.MatchString(x.Text)) {
			t.Errorf("%s: %v is no name", of, x)
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				look(of, v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				look(of, v.Index(i))
			}
		case reflect.Interface:
			look(of, v.Elem())
			if made, ok := v.Interface().(Made); ok {
				look(of, reflect.ValueOf(made.Steps()))
			}
		}
	}
	for _, m := range methods(p) {
		look(m.Name, reflect.ValueOf(m.Steps))
	}
}
