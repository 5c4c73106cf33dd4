// Package failures tests the errors that users see: of machines where something is missing or forbidden, and of programs with a mistake.
// docs/errors.md has them all; -update writes it.
package failures
