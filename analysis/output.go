package analysis

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"hyptx/internal/fp16"
	"hyptx/internal/manifest"
)

// What a program computed is shown to people, compared with what a GPU computed
// (internal/hardware/compare), and kept in files. It stays bytes until somebody looks:
// comparing needs every bit of a NaN, and only a reader needs numbers. In JSON both
// stand side by side: "data" has all bytes, in base64, and is what [ReadSavedRun]
// reads; "values" has the first numbers, for eyes and scripts.
//
// An output may be as large as a GPU's memory, and much larger than --max-memory
// where nobody touched it. So the emulator's outputs stay where they are until they
// are written, and then go through a piece of 64 KiB: [OutputReader].
//
// Output is what a program left in one of the manifest's outputs.
type Output struct {
	Name string
	Type manifest.Type
	Data []byte
}

// Len returns the number of elements.
func (o Output) Len() int { return len(o.Data) / max(o.Type.Size(), 1) }

// Bits returns element i's bits, the low ones of 64. Memory is little-endian, as that
// of every GPU.
func (o Output) Bits(i int) uint64 {
	var b [8]byte
	n := o.Type.Size()
	copy(b[:], o.Data[i*n:][:n])
	return binary.LittleEndian.Uint64(b[:])
}

// signed returns element i of a signed type, exactly.
func (o Output) signed(i int) int64 {
	shift := 64 - 8*o.Type.Size()
	return int64(o.Bits(i)<<shift) >> shift
}

// Float returns element i as a number. An integer of more than 53 bits is rounded;
// [Output.Value] has it exactly.
func (o Output) Float(i int) float64 {
	v := o.Bits(i)
	switch o.Type {
	case manifest.F32:
		return float64(math.Float32frombits(uint32(v)))
	case manifest.F64:
		return math.Float64frombits(v)
	case manifest.F16:
		return float64(fp16.F16ToF32(uint16(v)))
	case manifest.BF16:
		return float64(fp16.BF16ToF32(uint16(v)))
	}
	if o.Type.IsSigned() {
		return float64(o.signed(i))
	}
	return float64(v)
}

// OutputReader is an output that is read in pieces from where it lies, the
// memory of a session for one.
type OutputReader struct {
	Name              string
	Type              manifest.Type
	*io.SectionReader // of its bytes
}

// Reader reads an output that is at hand.
func (o Output) Reader() OutputReader {
	return OutputReader{o.Name, o.Type, io.NewSectionReader(bytes.NewReader(o.Data), 0, int64(len(o.Data)))}
}

// First returns the first bytes of an output, up to those of n elements.
func (r OutputReader) First(n int) (Output, error) {
	o := Output{r.Name, r.Type, make([]byte, min(r.Size(), int64(n)*int64(max(r.Type.Size(), 1))))}
	_, err := r.ReadAt(o.Data, 0)
	return o, notEOF(err)
}

// whole reads all of an output.
func (r OutputReader) whole() (Output, error) {
	o := Output{r.Name, r.Type, make([]byte, r.Size())}
	_, err := r.ReadAt(o.Data, 0)
	return o, notEOF(err)
}

// notEOF is an error of reading but the end, which may come with the last byte.
func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// Len returns the number of elements.
func (r OutputReader) Len() int { return int(r.Size()) / max(r.Type.Size(), 1) }

// maxListed is how many elements of an output are listed as numbers in JSON;
// its "data", in base64, has the bytes of all.
const maxListed = 1 << 16

// pieceBytes is how much of an output is in memory at a time: a whole number of
// elements of every type, and of base64's groups of three.
const pieceBytes = 3 << 16

// outputJSON is an output in JSON; NaN and the infinities, which JSON lacks, are
// strings among the values.
type outputJSON struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Elements int    `json:"elements"`
	NaNs     int    `json:"nan"`
	Infs     int    `json:"inf"`
	SHA256   string `json:"sha256"`
	Values   []any  `json:"values,omitempty"`
	Listed   int    `json:"listed"`
	Data     string `json:"data"`
}

// WriteJSON writes an output with its values, indented as [json.Indent] does.
// It is read twice: the hash stands before the data.
func (r OutputReader) WriteJSON(w io.Writer, prefix, indent string) error {
	mark := rand.Text() // where the data go
	v := outputJSON{Name: r.Name, Type: r.Type.String(), Elements: r.Len(), Data: mark}
	sum := sha256.New()
	piece := Output{Type: r.Type, Data: make([]byte, pieceBytes)}
	for at := int64(0); at < r.Size(); at += int64(len(piece.Data)) {
		piece.Data = piece.Data[:min(pieceBytes, r.Size()-at)]
		if _, err := r.ReadAt(piece.Data, at); notEOF(err) != nil {
			return err
		}
		sum.Write(piece.Data)
		v.add(piece)
	}
	v.SHA256, v.Listed = hex.EncodeToString(sum.Sum(nil)), len(v.Values)
	text, err := json.MarshalIndent(v, prefix, indent)
	if err != nil {
		return err
	}
	before, after, _ := bytes.Cut(text, []byte(mark))
	if _, err := w.Write(before); err != nil {
		return err
	}
	data := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := io.CopyBuffer(struct{ io.Writer }{data}, io.NewSectionReader(r, 0, r.Size()), piece.Data[:cap(piece.Data)]); err != nil {
		return err
	}
	if err := data.Close(); err != nil {
		return err
	}
	_, err = w.Write(after)
	return err
}

// add lists and counts the values of a piece.
func (v *outputJSON) add(piece Output) {
	for i := range piece.Len() {
		if len(v.Values) < maxListed {
			v.Values = append(v.Values, piece.Value(i))
		} else if !piece.Type.IsFloat() {
			return // and none is NaN
		}
		if x := piece.Float(i); math.IsNaN(x) {
			v.NaNs++
		} else if math.IsInf(x, 0) {
			v.Infs++
		}
	}
}

// MarshalJSON writes an output as [OutputReader.WriteJSON] does.
func (o Output) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := o.Reader().WriteJSON(&b, "", "")
	return b.Bytes(), err
}

// Value returns element i as JSON has it.
func (o Output) Value(i int) any {
	x := o.Float(i)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return fmt.Sprint(x)
	case o.Type == manifest.F32:
		return float32(x)
	case o.Type.IsFloat():
		return x
	case o.Type.IsSigned():
		return o.signed(i) // not x, which has 53 bits
	}
	return o.Bits(i)
}

// UnmarshalJSON reads what MarshalJSON wrote: the name, the type and the bytes,
// which have to have the hash that stands beside them.
func (o *Output) UnmarshalJSON(text []byte) error {
	var v struct {
		Name   string `json:"name"`
		Type   string `json:"type"`
		SHA256 string `json:"sha256"`
		Data   []byte `json:"data"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	t, ok := manifest.ParseType(v.Type)
	if !ok {
		return fmt.Errorf("output %q: unknown type %q", v.Name, v.Type)
	}
	sum := sha256.Sum256(v.Data)
	switch {
	case v.Data == nil:
		return fmt.Errorf(`output %q has no "data": an older hyptx wrote it; run it again, or use option dump and the folder of the .npy files`, v.Name)
	case v.SHA256 != hex.EncodeToString(sum[:]):
		return fmt.Errorf(`output %q: its "data" do not have the hash in "sha256": the file was changed`, v.Name)
	case len(v.Data)%t.Size() != 0:
		return fmt.Errorf("output %q: %d bytes are no whole number of %s", v.Name, len(v.Data), v.Type)
	}
	*o = Output{Name: v.Name, Type: t, Data: v.Data}
	return nil
}
