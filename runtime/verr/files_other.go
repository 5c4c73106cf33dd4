//go:build !linux

package verr

func filesHint() string { return "" }

func noFilesHint() string { return "" }
