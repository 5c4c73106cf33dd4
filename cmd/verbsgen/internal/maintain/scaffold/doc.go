// Package scaffold drafts pages for what no page decides: those of a new release, or of a library that nobody has described.
//
// It owns the patterns by which a header is read: which words end an object, what a function returns by its C type, which bit of a mask
// announces a field. Each guess is marked as one on the page. It knows no function, struct or enum by name.
package scaffold
