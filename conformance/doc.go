// Package conformance shows that the generated bindings do on a device what the man pages say.
//
// Its cases run on a software device. It may import the generated package, the runtime and the specs; nothing
// imports it.
package conformance
