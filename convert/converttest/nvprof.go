package converttest

import (
	"fmt"
	"strings"
)

// NvprofHead are the lines and columns before the rows of a table.
const NvprofHead = `program's own line, "with quotes
==12== NVPROF is profiling process 12, command: ./a secret argument
"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem",` +
	`"Dynamic SMem","Size","Throughput","Device","Context","Stream","Name"
`

// NvprofSample has copies, kernels, units of two kinds and two devices.
const NvprofSample = NvprofHead + `ms,us,,,,,,,,KB,B,KB,GB/s,,,,
1.000001,2.5,,,,,,,,,,1.527344,1.0,"GPU X (3)","1","7","[CUDA memcpy HtoD]"
1.5,10,4,2,1,32,1,1,20,1.5,100,,,"GPU X (3)","1","14","k<int, 4>(int*) [123]"
1.6,1,,,,,,,,,,2,1.0,"GPU X (3)","1","14","[CUDA memcpy DtoH]"
1.7,1,,,,,,,,,,2,1.0,"GPU X (3)","2","14","[CUDA memset]"
1.8,1,,,,,,,,,,2,1.0,"GPU X (3)","1","7","[Unified Memory Memcpy HtoD]"
1.9,1,,,,,,,,,,x,1.0,"GPU X (3)","1","7","[CUDA memcpy DtoD]"
`

// NvprofFamily is a host kernel (grid 10) whose blocks 0 and 3 launch 33 and 1
// children; the first child of block 3 launches one itself; one child has no
// parent and two are each other's parents.
func NvprofFamily() []string {
	const shape = `start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId ` +
		`INTEGER, name INTEGER,
		registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ ` +
		`INTEGER,
		staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER, gridId INTEGER`
	child := func(start, grid, parent int, block string) string {
		return fmt.Sprintf("(%d, %d, 0, 1, 7, 1, 2, 8, 2, 1, 1, 64, 1, 1, 0, 0, 0, %d, %d, %s)", start, start+5, grid,
			parent, block)
	}
	var children []string
	for i := range 33 {
		children = append(children, child(200-i, 100+i, 10, "0, 0, 0"))
	}
	children = append(children, child(150, 200, 10, "1, 1, 0"), child(160, 201, 200, "1, 0, 0"),
		child(170, 300, 999, "0, 0, 0"),
		child(171, 400, 401, "0, 0, 0"), child(172, 401, 400, "0, 0, 0"), child(173, 500, 200, "9, 9, 9"))
	return []string{
		`CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT)`,
		`INSERT INTO StringTable VALUES (1, 'parent'), (2, 'child'), (3, 'GPU Y')`,
		`CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (` + shape + `)`,
		`CREATE TABLE CUPTI_ACTIVITY_KIND_CDP_KERNEL (` + shape +
			`, parentGridId INTEGER, parentBlockX INTEGER, parentBlockY INTEGER, parentBlockZ INTEGER)`,
		`CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (cbid INTEGER, start INTEGER, end INTEGER, processId INTEGER, threadId ` +
			`INTEGER, correlationId INTEGER)`,
		`CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE (id INTEGER, name INTEGER, numMultiprocessors INTEGER, ` +
			`computeCapabilityMajor INTEGER, computeCapabilityMinor INTEGER)`,
		`CREATE TABLE CUPTI_ACTIVITY_KIND_ENVIRONMENT (secret TEXT)`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES (0, 3, 13, 3, 5)`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (211, 90, 95, 1, 1, 1), (165, 96, 300, 1, 1, 2)`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES (100, 250, 0, 1, 7, 1, 1, 16, 2, 2, 1, 32, 1, 1, 0, 0, ` +
			`0, 10)`,
		`INSERT INTO CUPTI_ACTIVITY_KIND_CDP_KERNEL VALUES ` + strings.Join(children, ", "),
	}
}
