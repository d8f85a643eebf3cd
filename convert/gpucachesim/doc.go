// Package gpucachesim reads the traces of gpucachesim's NVBit tracer: a folder
// with commands.json (allocations, copies, launches) and one MessagePack file
// of warp instructions per kernel, which name the SM that each CTA ran on.
package gpucachesim
