// Package children has programs with nested parallelism: the workloads of the DTBL and SPAWN papers, in which a
// thread that finds much work may launch a child kernel for it.
//
// Every lane with nested work records a request, however little the work is; the mark of a request says whether the
// program's own rule launches it. A policy decides, and runs the child's threads as the lane's iterations where it
// launches none. README.md in this folder says for each workload the computation, the launch rule, how instructions
// are counted and how inputs differ from the papers'.
package children
