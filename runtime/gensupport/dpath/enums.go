package dpath

import "strconv"

// WCOpcode is the operation that completed, enum ibv_wc_opcode. The generated package has the constants.
type WCOpcode uint32

// WROpcode is the operation of a send request, enum ibv_wr_opcode. The generated package has the constants.
type WROpcode uint32

// String returns the C name without its prefix, or the number if it has no name.
func (v WCOpcode) String() string {
	return nameOf("WCOpcode", wcOpcodeNames, uint32(v))
}

// String returns the C name without its prefix, or the number if it has no name.
func (v WROpcode) String() string { return nameOf("WROpcode", wrOpcodeNames, uint32(v)) }

// nameOf returns names[v], or the number v as one of a type.
func nameOf(typ string, names []string, v uint32) string {
	if v < uint32(len(names)) && names[v] != "" {
		return names[v]
	}
	return typ + "(" + strconv.FormatUint(uint64(v), 10) + ")"
}
