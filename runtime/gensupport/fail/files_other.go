//go:build !linux

package fail

func filesHint() string { return "" }

func noFilesHint() string { return "" }
