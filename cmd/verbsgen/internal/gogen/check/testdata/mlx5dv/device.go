package mlx5dv

func (l *Lib) OtherDevice(obj *DevXObj) error {
	const verb = "mlx5dv_x"
	verbsUses := bridge.Uses{ // want "the uses have no Lib"
		Verb: verb,
	}
	defer verbsUses.Exit()
	if err := obj.base().Enter(verb); err != nil { // want "the uses do not have obj.device"
		return err
	}
	defer obj.h.Exit()
	return nil
}
