package rdmacm

func (channel *EventChannel) Unmarked() (*ID, error) {
	o := newID(channel.lib, ptr) // want "nothing says whether the object is accepted" "is bound" "is connecting" "is listening" "is options" "is requested" "is resolved" "is routed"
	if err := o.h.Adopt(); err != nil {
		return nil, err
	}
	return o, nil
}
