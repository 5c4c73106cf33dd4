package mem

// config is what the options of New ask for.
type config struct {
	huge     bool
	hugeSize uint64
	populate bool
}

// Option is a wish for a new Buffer.
type Option func(*config)

// HugePages takes the memory from huge pages of size bytes, a power of two that the kernel has pages of (2 MiB or
// 1 GiB on amd64); 0 means its default size. The memory taken is rounded up to whole pages, and New fails when too
// few are free: they are never replaced by small ones.
func HugePages(size uint64) Option {
	return func(c *config) { c.huge, c.hugeSize = true, size }
}

// Populate has the kernel provide all pages now instead of at the first touch. It is a wish: pages that it could not
// provide come at the first touch.
func Populate() Option { return func(c *config) { c.populate = true } }
