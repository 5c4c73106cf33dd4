// Package careless shows what happens to programs that make mistakes: none dies by a signal, and each is told what is wrong.
//
// It owns the programs: every call against every Close that ends its object, memory that is not there, and objects of others. Each
// runs in a process of its own, for a mistake of the library would end it by a signal. It must not know how the library notices a
// mistake.
package careless
