// Package english looks for words and phrases in the texts that users read: Markdown, the documentation of the packages in gen, and the
// templates. patterns.txt has them as data, each with what to write instead.
//
// It owns the list. It must not know what a text is about.
package english
