// Package policies holds every scheduling policy: one file per decision or named
// policy, each with its registration record.
//
// A policy is a composition of five decisions (launch control, kernel
// admission, dependency, CTA scheduling, warp scheduling), whose interfaces are
// package model's. A named policy is a preset of the five; a user overrides one
// with --policy=ppcs,cta=fifo. Adding a policy is adding one file: its init
// registers it, and it is then listed, documented and tested like the others.
package policies
