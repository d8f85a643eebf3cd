// Package house has no code: its tests hold the rules of the whole module. They read
// the source, so that no test cache hides a breach: which package may import which,
// how long files and functions may be, and how plain the texts are.
package house
