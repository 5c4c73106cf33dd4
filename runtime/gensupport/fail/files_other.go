//go:build !linux

package fail

func filesHint() string { return "" }

func noFilesHint() string { return "" }

func noThreadHint() string { return "" }

// MapHint finds no cause: it knows only Linux.
func MapHint(uint64) string { return "" }
