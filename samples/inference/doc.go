// Package inference has generators of programs that serve language models.
package inference
