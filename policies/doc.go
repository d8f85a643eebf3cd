// Package policies holds every scheduling policy: one file per decision or named
// policy, each with its registration record.
//
// A policy is a composition of five decisions; their interfaces are package model's:
//
//   - launch: the outcome of a child launch ([LaunchControls])
//   - admission: the hardware queue of a stream ([Admissions])
//   - dependency: kernels that overlap ([Dependencies])
//   - cta: the SM of a CTA ([CTASchedulers])
//   - warp: the warp that issues ([WarpSchedulers])
//
// A named policy is a preset of the five. [Parse] reads a user's list, in which a part
// replaces one decision: ppcs,cta=fifo. A new policy is one file: its init calls
// [Register], and it is then listed, documented and tested like the others.
package policies
