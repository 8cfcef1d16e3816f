package manifest

// Supported reports the parts of the manifest that are read and checked but
// not executed by this version, as [Errors].
func (m *Manifest) Supported() error {
	e := errorList{file: m.File}
	const not = "%s are not executed by this version"
	for _, mod := range m.Modules {
		if len(mod.Files) > 1 {
			e.fail(keyPath(mod.Path, "files"), not, "modules linked from several files")
		}
	}
	for _, t := range m.Textures {
		e.fail(t.Path, not, "textures")
	}
	for _, t := range m.TensorMaps {
		e.fail(t.Path, not, "tensor maps")
	}
	return e.err()
}
