package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// Tool tells this build of the tool from all others: its version, and a hash of its executable. It returns an error
// if the executable cannot be read.
func Tool(version string) (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("sweep: this program cannot be found, to tell its results from those of another build: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("sweep: this program cannot be read, to tell its results from those of another build: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("sweep: this program cannot be read, to tell its results from those of another build: %w", err)
	}
	return version + " " + hex.EncodeToString(h.Sum(nil)[:16]), nil
}
