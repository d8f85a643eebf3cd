// Command replay replays a trace of a GPU program under scheduling policies and
// writes what happened as tables. See README.md.
package main

import "os"

func main() {
	collectLate()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
