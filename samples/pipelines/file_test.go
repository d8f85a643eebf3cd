package pipelines

import (
	"fmt"
	"testing"

	"gpureplay/samples/samplestest"
)

// TestFilesHoldWhatWasGenerated writes every small trace and reads it back.
func TestFilesHoldWhatWasGenerated(t *testing.T) {
	for _, s := range small {
		t.Run(fmt.Sprint(s.name, s.settings), func(t *testing.T) { samplestest.File(t, s.name, s.settings...) })
	}
}
