package cmem

import "golang.org/x/sys/unix"

// interfaceIndex returns the number of a network interface. Package net has it too, which would be in every program for this alone.
func interfaceIndex(name string) (uint32, error) {
	r, err := askInterface(unix.SIOCGIFINDEX, name, 0)
	if err != nil {
		return 0, err
	}
	return r.Uint32(), nil
}

// interfaceName returns the name of a network interface.
func interfaceName(index uint32) (string, error) {
	r, err := askInterface(unix.SIOCGIFNAME, "", index)
	if err != nil {
		return "", err
	}
	return r.Name(), nil
}

// askInterface asks for a property of a network interface (netdevice(7)), which any socket can.
func askInterface(request uint, name string, index uint32) (*unix.Ifreq, error) {
	r, err := unix.NewIfreq(name)
	if err != nil {
		return nil, err
	}
	r.SetUint32(index)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return r, unix.IoctlIfreq(fd, request, r)
}
