package model

// Lazy is a Go struct that a reader fills from a C object: by functions of the object, each called only if its field was asked for,
// and by fields of the object.
type Lazy struct {
	Go     string
	C      string // "ibv_cq_ex"
	Page   string
	Asks   *Enum  // the fields that can be asked for
	Fails  string // type of package Fields[i].Enum.Runtime that is the error of an entry that is not OK; empty for none
	Fields []*LazyField
	Size   int64
	Doc    string

	Next, End string // functions of the object that go on to the next entry, and end the reading
}

// LazyField is one field of a Lazy.
type LazyField struct {
	Go     string
	C      string // member of the C struct
	CType  string // of the value
	GoType string // in the public API
	Enum   *Enum
	Func   bool // the member is a function
	// Fills is the struct that the function fills ("struct ibv_wc_tm_info"), and Of the member of it; empty when it returns the value.
	Fills, Of string
	Bit       *Member // of Asks; nil when it is always read
	OK        *Member // with this value all other fields are valid
	Failed    string  // spec.Failed...
	Big       bool    // in network byte order, if SwapIf is set or nil
	SwapIf    *Member
	Flags     *LazyField // which has SwapIf
	Time      string     // method that returns it as a time
	Offset    int64
	Size      int64
	Doc       string
}

// OK returns the field that says whether an entry is valid, or nil.
func (l *Lazy) OK() *LazyField {
	return First(l.Fields, func(f *LazyField) bool { return f.OK != nil })
}

// Enums are the flag and enum types that it uses.
func (l *Lazy) Enums() (out []*Enum) {
	if l == nil {
		return nil
	}
	out = append(out, l.Asks)
	for _, f := range l.Fields {
		if f.Enum != nil {
			out = append(out, f.Enum)
		}
	}
	return out
}
