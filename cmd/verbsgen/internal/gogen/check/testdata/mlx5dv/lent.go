package mlx5dv

func (l *Lib) NotLent(dev *verbs.Device) error {
	devHeld, err := bridge.Enter(&verbsUses, "context", dev) // want "C is not given devHeld"
	if err != nil {
		return err
	}
	rawX(l.fn[symX], nil)
	return nil
}
