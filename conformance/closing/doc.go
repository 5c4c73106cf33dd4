// Package closing shows what happens to programs that close objects while other goroutines use them.
//
// It owns the programs: every call of the data path and every wait, against every Close that ends its object. Each
// runs in a process of its own, for a mistake of the library would end it by a signal. It must not know how the library
// waits for calls.
package closing
