// Package text reads and writes the text form of a trace, which people write by hand and
// tests compare. docs/text.md has its grammar.
package text
