//go:build ignore

//verbsgen:with ibv_query_port ibv_query_gid

package verbs

import "syscall"

// explainQueryGID says that there is no such entry, and which there are.
func (dev *Device) explainQueryGID(_ syscall.Errno, portNum uint8, index int) []string {
	return dev.noGID(portNum, index)
}

// explainQueryGIDEx says so too.
func (dev *Device) explainQueryGIDEx(_ syscall.Errno, portNum, index uint32) []string {
	return dev.noGID(uint8(portNum), int(index))
}

func (dev *Device) noGID(portNum uint8, index int) []string {
	if p, known := dev.path(portNum, index); known {
		return p.Source("")
	}
	return nil
}
