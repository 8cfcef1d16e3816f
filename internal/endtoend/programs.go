package endtoend

// ours is the kernel of ptx-samples/benchmarks that stands in for a measured one, or why
// there is none.
type ours struct{ program, kernel, without string }

// programs are ours by AccelWattch's names.
var programs = map[string]ours{
	"b+tree-rodinia-3.1_k1":     {"bplustree", "findRange", ""},
	"b+tree-rodinia-3.1_k2":     {"bplustree", "findKey", ""},
	"backprop-rodinia-3.1_k1":   {"backprop", "layerForward", ""},
	"backprop-rodinia-3.1_k2":   {"backprop", "adjustWeights", ""},
	"binomialOptions_k1":        {"binomial", "binomial", ""},
	"cudaTensor_k1":             {"wmma", "wmmaGemm", ""},
	"cutlass_k1":                {"wmma-2560x16", "wmmaGemm", ""},
	"cutlass_k2":                {"wmma-4096x128", "wmmaGemm", ""},
	"cutlass_k3":                {"wmma-2560x512", "wmmaGemm", ""},
	"dct8x8_k1":                 {"dct", "dct", ""},
	"dct8x8_k2":                 {"dct", "dctShared", ""},
	"fastWalshTransform_k1":     {"walsh", "walshGlobal", ""},
	"fastWalshTransform_k2":     {"walsh", "walshShared", ""},
	"histogram_k1":              {"histogram", "histogram", ""},
	"hotspot-rodinia-3.1_k1":    {"hotspot", "hotspot", ""},
	"kmeans-rodinia-3.1_k1":     {"kmeans", "kmeans", ""},
	"mergeSort_k1":              {"merge", "mergePieces", ""},
	"mergeSort_k2":              {"mergesort", "mergeSortShared", ""},
	"parboil-mri-q_k1":          {"mriq", "mriq", ""},
	"parboil-sad_k1":            {"sad", "sad", ""},
	"parboil-sgemm_k1":          {"sgemm", "sgemm", ""},
	"pathfinder-rodinia-3.1_k1": {"pathfinder", "pathfinder", ""},
	"quasirandomGenerator_k1":   {"qrng", "quasirandom", ""},
	"quasirandomGenerator_k2":   {"qrng", "inverseNormal", ""},
	"sobolQRNG_k1":              {"sobol", "sobol", ""},
	"srad_v1-rodinia-3.1_k1":    {"srad", "srad", ""},
}
