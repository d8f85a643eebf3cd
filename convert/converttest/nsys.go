package converttest

// NsysTables are the tables of an old export: fewer columns, kernel names as text ids, no META_DATA_EXPORT, no
// TARGET_INFO_GPU.
const NsysTables = `CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId ` +
	`INTEGER,
	correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, ` +
	`gridX INTEGER,
	gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER,
	dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER)`

// NsysStory is two processes on one device with an event between two streams.
var NsysStory = []string{NsysTables,
	`CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, ` +
		`nameId INTEGER)`,
	`CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER, contextId INTEGER, streamId INTEGER, ` +
		`correlationId INTEGER, globalPid INTEGER, eventId INTEGER)`,
	`CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,` +
		` streamId INTEGER,
		correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER)`,
	`CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INTEGER, address INTEGER)`,
	`CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, ` +
		`streamId INTEGER, correlationId INTEGER, globalPid INTEGER)`,
	`INSERT INTO StringIds VALUES (1, 'k<int>(int*)'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaEventRecord_v3020'), (4,` +
		` 'cudaStreamWaitEvent_v3020'), (5, 'cudaGraphLaunch_v10000')`,
	// Process 1 is 0x1000000, its thread 1 is 0x1000001; process 2 uses the same correlation id and stream.
	`INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
		(150, 160, 0, 1, 7, 1, 0x1000000, 1, 1, 16, 4, 1, 1, 32, 1, 1, 100, 28, 8),
		(170, 190, 0, 1, 13, 4, 0x1000000, 1, 1, 16, 4, 1, 1, 32, 1, 1, 0, 0, 0),
		(155, 165, 0, 1, 7, 1, 0x2000000, 99, 1, 16, 4, 1, 1, 32, 1, 1, 0, 0, 0)`,
	`INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0x1000001, 1, 2), (112, 113, 0x1000001, 2, 3), (114, ` +
		`115, 0x1000001, 3, 4),
		(116, 120, 0x1000001, 4, 2), (105, 109, 0x2000001, 1, 2), (121, 122, 0x1000001, 5, 5)`,
	`INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 2, 0x1000000, 3)`,
	`INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (114, 115, 0, 1, 13, 3, 0x1000000, 2, 3)`,
	`INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (5, 4096), (6, 8192)`,
	`INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (200, 300, 0, 1, 7, 5, 0x1000000)`,
}
