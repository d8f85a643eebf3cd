// Package audit checks a run: whether the records that the machine tells agree with
// each other, with the trace and with the rules of the machine.
package audit
