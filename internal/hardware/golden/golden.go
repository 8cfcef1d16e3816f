package golden

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"hyptx/analysis"
)

// Format is the version of the files that this package writes.
const Format = 1

// Header is the first line of a file.
type Header struct {
	Format  int    `json:"format"`
	Device  Device `json:"device"`
	Date    string `json:"date"` // of the run, as 2026-11-21
	Version string `json:"hyptx_version"`
}

// Device is a GPU as its driver describes it.
type Device struct {
	Name          string `json:"name"`
	Major         int    `json:"compute_major"`
	Minor         int    `json:"compute_minor"`
	SMs           int    `json:"sms"`
	ClockKHz      int    `json:"clock_khz"`
	MemoryKHz     int    `json:"memory_clock_khz"`
	MemoryBits    int    `json:"memory_bus_bits"`
	L2Bytes       int    `json:"l2_bytes"`
	MemoryBytes   uint64 `json:"memory_bytes"`
	DriverVersion int    `json:"driver_version"` // cuDriverGetVersion: 12040 is CUDA 12.4
}

// Folder is the name of the device's folder below testdata/golden: its name in
// small letters, digits and '-'.
func (d Device) Folder() string {
	words := strings.FieldsFunc(strings.ToLower(d.Name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return "unnamed"
	}
	return strings.Join(words, "-")
}

// Program is what one program left behind, or why it did not.
type Program struct {
	// Name is the program's: features/add_f32, kernels/sm_70/vector_add,
	// networks/lenet5-sm_70.
	Name string `json:"name"`
	// Inputs is the hash over the manifest, the PTX as it stands in the file
	// (without a feature program's header) and the data files.
	Inputs string `json:"inputs_sha256"`
	// Target is what .version and .target were changed to for this GPU,
	// "" if they stayed.
	Target string `json:"target,omitempty"`
	// Skipped is why the program was not run: the driver refused its PTX.
	Skipped string `json:"skipped,omitempty"`
	// Failed is the error with which it ended.
	Failed string `json:"failed,omitempty"`
	// TimesMs are the times of its launches by events, all repetitions of one
	// together, in a second run: the first one also loads code. Feature programs
	// have none.
	TimesMs []float64 `json:"times_ms,omitempty"`
	Outputs []Output  `json:"outputs,omitempty"`
}

// Output is the contents of one output.
type Output struct {
	Name   string `json:"name"`
	Type   string `json:"type"` // the manifest's name of it
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Packed is the contents, deflated (RFC 1951); nil if there are more than
	// MaxData bytes.
	Packed []byte `json:"deflated,omitempty"`
}

// MaxData is how many bytes of an output are kept; of a longer one only the
// hash is.
const MaxData = 4 << 20

// Pack makes an Output of what a program left.
func Pack(o analysis.Output) (Output, error) {
	sum := sha256.Sum256(o.Data)
	out := Output{Name: o.Name, Type: o.Type.String(), Bytes: len(o.Data), SHA256: hex.EncodeToString(sum[:])}
	if len(o.Data) > MaxData {
		return out, nil
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		_, err = w.Write(o.Data)
	}
	if err == nil {
		err = w.Close()
	}
	out.Packed = b.Bytes()
	return out, err
}
