// Package fail makes the errors of package verr that generated code returns: of arguments that C cannot take, of handles that are closed
// or copied, of calls that failed, and of rules that a call breaks. It also has the errnos by which the data path says the same, and
// reports lints to a program.
//
// It must not know any verb or C type: generated code passes static data to it. Nothing here runs while calls succeed, except for lints that
// a program asks for.
package fail
