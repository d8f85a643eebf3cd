// Package convert turns the captures of other tools into traces.
//
// Each foreign format is one [Format], registered in its own file: how to recognise it by content, and how to
// stream it into a trace. [Open] finds a capture, [Detect] says which format it has, [Convert] writes the trace.
// Memory is bounded whatever the size of the capture.
//
// A part of a capture that a trace cannot hold, and each oddity, becomes a named, graded counter of the trace
// ([gpureplay/trace.Diagnostic]). Process environments, names of hosts and users, command lines and paths are not
// kept.
package convert
