package emit

import (
	"fmt"
	"strings"

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

// face writes one Go face of a verb, by its form, to the file of its receiver.
func (e *emitter) face(home map[string]*goFile, v *model.Verb, m *model.Method) {
	g := home[m.Recv]
	switch m.Form {
	case "device_list", "open_device", "devmem", "next_event", "next_async": // written with what they belong to
		return
	}
	if g == nil {
		e.errs = append(e.errs, fmt.Errorf("internal error: %s: %s.%s is a method of a type that is neither an object nor Lib", v.C, m.Recv, m.Name))
		return
	}
	switch m.Form {
	case "rereg":
		e.rereg(g, v, m)
	case "post_send":
		e.post(g, v, "PostSend", "SendBatch", "posts the first n work requests of a batch with one crossing into C. It gives how many were taken: n, or the index of the one that was refused, with the reason. It must not run while the queue pair is being closed")
		if ah := e.byVerb["ibv_create_ah"]; ah != nil {
			e.address(home[ah.Creates.Go], v)
		}
	case "post_recv":
		e.post(g, v, "PostRecv", "RecvBatch", "posts the first n receive requests of a batch. It is otherwise as PostSend")
	case "poll_cq":
		e.poll(g, v)
	case "req_notify":
		e.reqNotify(g, v)
	case formParent:
		e.method(g, v, m)
		e.allocator(g, v)
	default:
		e.method(g, v, m)
	}
}
