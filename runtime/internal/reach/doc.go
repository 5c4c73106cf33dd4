// Package reach asks the kernel whether memory can be accessed, so that a wrong address is an error and not the end of the program.
//
// It owns the question. It must not know who wants to use the memory, and it is too slow for posts and copies.
package reach
