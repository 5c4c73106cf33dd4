package cmem

// Join joins flags that are given one by one. Without any it returns all.
func Join[F ~uint8 | ~uint32 | ~uint64 | ~int32](flags []F, all F) (joined F) {
	for _, f := range flags {
		joined |= f
	}
	if len(flags) == 0 {
		return all
	}
	return joined
}
