package cuda

// deviceAttribute is CUdevice_attribute (CUDA Driver API, 6.1 data types).
type deviceAttribute int32

const (
	attrWarpSize            deviceAttribute = 10
	attrClockRate           deviceAttribute = 13 // kHz
	attrSMs                 deviceAttribute = 16 // MULTIPROCESSOR_COUNT
	attrPCIBus              deviceAttribute = 33
	attrPCIDevice           deviceAttribute = 34
	attrMemoryClockRate     deviceAttribute = 36 // kHz
	attrMemoryBusWidth      deviceAttribute = 37 // bits
	attrL2Bytes             deviceAttribute = 38
	attrThreadsPerSM        deviceAttribute = 39
	attrPCIDomain           deviceAttribute = 50
	attrMajor               deviceAttribute = 75 // COMPUTE_CAPABILITY_MAJOR
	attrMinor               deviceAttribute = 76
	attrSharedPerSM         deviceAttribute = 81
	attrRegistersPerSM      deviceAttribute = 82
	attrSharedPerBlockOptin deviceAttribute = 97
)

// What a launch gets without asking for more.
const (
	defaultSharedBytesPerCTA = 48 << 10 // the kernel's own and dynamic; CUDA C++ Programming Guide, shared memory
	portableClusterCTAs      = 8        // CUDA C++ Programming Guide, thread block clusters
)

// functionAttribute is CUfunction_attribute.
type functionAttribute int32

const (
	attrMaxThreads       functionAttribute = 0 // MAX_THREADS_PER_BLOCK
	attrStaticShared     functionAttribute = 1 // SHARED_SIZE_BYTES
	attrLocalBytes       functionAttribute = 3
	attrRegisters        functionAttribute = 4 // NUM_REGS
	attrMaxDynamicShared functionAttribute = 8
	attrNonPortable      functionAttribute = 14 // NON_PORTABLE_CLUSTER_SIZE_ALLOWED
)

// jitOption is CUjit_option.
type jitOption int32

const (
	jitInfoLog       jitOption = 3 // INFO_LOG_BUFFER
	jitInfoLogBytes  jitOption = 4
	jitErrorLog      jitOption = 5 // ERROR_LOG_BUFFER
	jitErrorLogBytes jitOption = 6
)

// launchAttributeID is CUlaunchAttributeID.
type launchAttributeID int32

const (
	launchCooperative launchAttributeID = 2
	launchCluster     launchAttributeID = 4 // CLUSTER_DIMENSION
)

// Limit is CUlimit: a size that a context reserves.
type Limit int32

// The limits that a manifest sets.
const (
	LimitStackBytes  Limit = 0 // of one thread
	LimitPrintfBytes Limit = 1
	LimitHeapBytes   Limit = 2
)

// Results that are told apart (CUresult).
const (
	codeInvalidValue = 1
	codeOutOfMemory  = 2
	codeNoDevice     = 100
	codeNotFound     = 500
	codeNotReady     = 600
	codeNotSupported = 801
)

// stickyCodes are the results after which a context can do nothing any more
// (CUDA Driver API, CUresult: "This leaves the process in an inconsistent
// state and any further CUDA work will return the same error").
var stickyCodes = map[int]bool{
	214: true, // ECC_UNCORRECTABLE
	220: true, // NVLINK_UNCORRECTABLE
	226: true, // CONTAINED
	700: true, // ILLEGAL_ADDRESS
	702: true, // LAUNCH_TIMEOUT
	709: true, // CONTEXT_IS_DESTROYED
	710: true, // ASSERT
	714: true, // HARDWARE_STACK_ERROR
	715: true, // ILLEGAL_INSTRUCTION
	716: true, // MISALIGNED_ADDRESS
	717: true, // INVALID_ADDRESS_SPACE
	718: true, // INVALID_PC
	719: true, // LAUNCH_FAILED
	721: true, // TENSOR_MEMORY_LEAK
	810: true, // MPS_CLIENT_TERMINATED
	911: true, // EXTERNAL_DEVICE
}
