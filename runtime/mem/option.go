package mem

// config is what the options of New ask for.
type config struct {
	huge     bool
	hugeSize uint64
	populate bool
}

// Option sets how New maps a Buffer.
type Option func(*config)

// HugePages takes the memory from huge pages of size bytes: a power of two of which the kernel has pages (2 MiB or 1
// GiB on amd64), or 0 for its default size. The mapping is rounded up to whole pages. New fails when too few are free;
// small pages never replace them.
func HugePages(size uint64) Option {
	return func(c *config) { c.huge, c.hugeSize = true, size }
}

// Populate asks the kernel to provide all pages now, not at the first access. Pages that it cannot provide now come at
// the first access; that is no error.
func Populate() Option { return func(c *config) { c.populate = true } }
