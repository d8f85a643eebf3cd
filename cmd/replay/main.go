// Command replay replays a trace of a GPU program under scheduling policies and
// writes what happened as tables. See README.md.
package main

import "gpureplay/cmd/command"

func main() { command.Main() }
