// Package fail makes the errors of package verr that generated code returns: of arguments that C cannot take, of handles that are closed
// or copied, of calls that failed, and of rules that a call breaks. It also has the errnos by which the data path says the same, and
// reports lints to a program.
//
// Validators look at values as it has them: a Known may be unknown, Caps are capabilities that are read at the first need, and a Mark is a
// property of a handle. It has the sums, counts and tables of transitions that conditions of rules need, and the text of values.
//
// It finds out why a call failed: it looks at the files, nodes, mappings and limits that the errno is about, and returns nothing where it
// has found nothing. It looks at the system for a real library only, since a software device has no files. SYSFS_PATH names the folder of
// sysfs, as libibverbs has it.
//
// It must not know any verb or C type: generated code passes static data to it. While calls succeed, nothing here runs but what validators
// ask, lints that a program asks for, and what a provider cannot do without harm; none of it on the data path.
package fail
