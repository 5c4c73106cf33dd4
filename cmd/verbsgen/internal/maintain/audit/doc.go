// Package audit holds the rules and notes of the spec against the man pages they stand on.
//
// It owns how a page is rendered and normalised, how it falls into passages, and how a passage is hashed: the hash
// is all that the spec keeps of a page. It knows nothing of Go code or of headers, and no text of a page ever
// leaves it, except through Passages, which a rule's author asks for.
package audit
