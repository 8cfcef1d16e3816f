package manifest

import "hyptx/internal/strictjson"

// Supported reports the parts of the manifest that are read and checked but
// not executed by this version, as [strictjson.Errors].
func (m *Manifest) Supported() error {
	e := strictjson.List{File: m.File}
	const not = "%s are not executed by this version"
	for _, t := range m.TensorMaps {
		e.Fail(t.Path, not, "tensor maps")
	}
	return e.Err()
}
