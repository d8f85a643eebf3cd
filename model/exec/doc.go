// Package exec is what runs on an SM: CTAs and their warps, the schedulers that let them
// issue, barriers, and threadblocks that stay. An SM knows no kernel management, no
// launches and no policy but who picks a warp; whom it belongs to is a [Device].
package exec
