package model

// Stream is what a C function is made of that replays requests as a stream of commands: for each request the builder of its
// opcode, and then what gives it its data and address.
type Stream struct {
	C       string // "ibv_qp_ex", the struct with the functions
	Request string // "ibv_send_wr"
	Asks    *Enum  // requests that can be asked for
	Sets    []Assignment
	// Members of the request, which lies in an array.
	Opcode   string
	Flags    string
	Elements string
	Inline   *Member // flag of a request whose data is copied
	Kind     string  // path from the object to its type
	Driver   *Member // opcode of the requests that only functions of a view build, or nil
	Builders []*Builder
	Setters  []*Setter // by type of the object

	Start, Complete, Abort string // functions of the object
	Element, List          *Call  // which give a request its data
	InlineBy, InlineListBy *Call
}

// View is what a C function is made of that finds a view of an object with a stream of commands, and calls the functions of the view.
type View struct {
	C        string // "mlx5dv_qp_ex", the struct with the functions
	Go       string
	Requests string // Go type of the requests that the functions are methods of
	Stream   string // Go type of the stream, with the package before it
	Of       *Use   // module of the stream
	Commands []*Command
}

// Command is a function of a view. It is called by its number in Commands.
type Command struct {
	*Verb
	Go     string // its method
	Builds bool
	With   *Verb // without it, the library does not know the function; or nil
}

// Assignment sets a member of the object to one of the request.
type Assignment struct{ To, From string }

// Call is a call of a function of the object with values of the request.
type Call struct {
	Op   string
	Args []Arg
}

// Arg is a value of the request, and the C type of the parameter. A From that begins with & is the address of one.
type Arg struct {
	From, CType string
	// Copies are the members of a struct of which the parameter takes a list, when the request has a list of another struct with members of
	// these names.
	Copies []string
}

// Builder is the call that builds the requests of an opcode.
type Builder struct {
	Call
	Opcode *Member
	Flag   *Member // of Asks
	Data   bool
	Names  bool // objects that must be open
}

// Setter is a call for each request on objects of a type.
type Setter struct {
	Call
	Kind *Member
}
