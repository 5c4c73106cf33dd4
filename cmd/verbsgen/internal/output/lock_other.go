//go:build !unix || solaris || aix

package output

import "os"

// tryLock is for systems whose folders cannot be locked.
func tryLock(*os.File, bool) bool { return true }
