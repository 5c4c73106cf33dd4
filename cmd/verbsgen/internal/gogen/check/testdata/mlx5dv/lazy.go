package mlx5dv

func (l *Lib) NotFound(held *bridge.Stream) (*QPEx, error) {
	x := &QPEx{lib: l}
	rawQPExFromIbvQPEx(l.fn[symMlx5dv_qp_ex_from_ibv_qp_ex], held.Object, x.view.Memory()) // want "nothing looks whether the object is one of this provider"
	return x, nil
}
