package manifest

import "fmt"

// ReadNPY reads a .npy file that holds elements of a type, of so many bytes in
// all: what WriteNPY wrote, or what NumPy saved of the same type.
func ReadNPY(path string, t Type, bytes int64) ([]byte, error) {
	size, err := regularSize(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	x, err := openNPY(path, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	x.name = path
	src, err := x.source(t, bytes)
	if err != nil {
		return nil, err
	}
	data := make([]byte, bytes)
	return data, src.Fill(data, 0)
}
