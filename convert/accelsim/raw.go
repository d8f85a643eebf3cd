package accelsim

import "errors"

func (k *kernel) rawLines() error {
	return errors.New("a raw capture (.trace): group it with the tracer's post-processing program")
}
