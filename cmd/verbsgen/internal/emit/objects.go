package emit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// objectFiles writes a file for each object: its handle, the methods on it, and the types that those need. Methods of Lib go
// to lib.
func (e *emitter) objectFiles(lib *goFile) []*goFile {
	home := map[string]*goFile{"Lib": lib}
	var files []*goFile
	for _, o := range e.pkg.Objects {
		g := e.newFile(strings.ToLower(o.Go) + ".gen.go")
		e.handle(g, o)
		home[o.Go] = g
		files = append(files, g)
	}
	for _, v := range e.pkg.Verbs {
		for _, m := range v.Methods {
			e.face(home, v, m)
		}
	}
	for _, o := range e.pkg.Objects {
		e.eventsOf(home[o.Go], o)
	}
	for _, o := range e.pkg.Objects { // last: only now it is known which are used
		e.nodeFunc(home[o.Go], o)
	}
	return files
}

// A writer writes one Go face of a verb to the file of its receiver.
type writer func(e *emitter, g *goFile, v *model.Verb, m *model.Method)

// writers has one for each form. A form without one of its own is written with what it belongs to, such as the file of the
// library.
var writers = map[string]writer{
	form.Plain:    (*emitter).method,
	form.Bytes:    (*emitter).method,
	form.Buffer:   (*emitter).method,
	form.Addr:     (*emitter).method,
	form.Implicit: (*emitter).method,
	form.CreateCQ: (*emitter).method,
	form.ImportDM: (*emitter).method,
	form.ParentDomain: func(e *emitter, g *goFile, v *model.Verb, m *model.Method) {
		e.method(g, v, m)
		e.allocator(g, v)
	},
	form.Rereg:      (*emitter).rereg,
	form.PostSend:   (*emitter).postSend,
	form.PostRecv:   (*emitter).postRecv,
	form.Address:    (*emitter).address,
	form.PollCQ:     (*emitter).poll,
	form.ReqNotify:  (*emitter).reqNotify,
	form.DeviceList: nil,
	form.OpenDevice: nil,
	form.WriteDM:    nil,
	form.ReadDM:     nil,
	form.NextEvent:  nil,
	form.DoneEvent:  nil,
	form.NextAsync:  nil,
	form.DoneAsync:  nil,
}

// face writes one Go face of a verb, by its form.
func (e *emitter) face(home map[string]*goFile, v *model.Verb, m *model.Method) {
	write, known := writers[m.Form]
	switch g := home[m.Recv]; {
	case !known:
		e.errs = append(e.errs, fmt.Errorf("internal error: %s: nothing writes %s.%s of form %s", v.C, m.Recv, m.Name, m.Form))
	case write == nil:
	case g == nil:
		e.errs = append(e.errs, fmt.Errorf("internal error: %s: %s.%s is a method of a type that is neither an object nor Lib", v.C, m.Recv, m.Name))
	default:
		write(e, g, v, m)
	}
}
