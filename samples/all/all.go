// Package all registers every family of workload generators; the command
// imports it for that alone.
package all

import (
	_ "gpureplay/samples/children"
	_ "gpureplay/samples/inference"
	_ "gpureplay/samples/pipelines"
	_ "gpureplay/samples/probes"
	_ "gpureplay/samples/probes/behaviour"
	_ "gpureplay/samples/tasks"
)
