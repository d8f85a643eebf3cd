// Package replay runs traces under policies: it builds the machine, lets the
// observers watch, and compares several policies side by side. Package audit checks a
// run, analyse compares runs, capture reads recorded ones.
package replay
