package manifest

import "hyptx/internal/strictjson"

// Module is PTX that is loaded as one: its launches share its variables.
type Module struct {
	// Path is the JSON path of its definition, or of its first use.
	Path string
	// Name as launches give it: a name of "modules" or a file.
	Name string
	// Files of the module, several if they are linked.
	Files []string
	// Named: it stands in "modules".
	Named bool

	names []string // the files as they were written
}

func (r *reader) modulesOf(o object) {
	n := o.Get("modules")
	if n == nil || !r.Expect(n, "modules", strictjson.Map) {
		return
	}
	for i, name := range n.Keys {
		path := strictjson.KeyPath("modules", name)
		mo, ok := r.object(n.List[i], path, "files")
		if !r.checkName(name, path) || !ok || mo.Need("files") == nil {
			continue
		}
		m := &Module{Path: path, Name: name, Named: true}
		for i, f := range mo.Elements("files") {
			if file, ok := r.moduleFile(f, strictjson.ElementPath(mo.At("files"), i)); ok {
				m.Files, m.names = append(m.Files, file), append(m.names, f.Text)
			}
		}
		if list := mo.Get("files"); list.Kind == strictjson.Array && len(list.List) == 0 {
			mo.Fail("files", "must name at least one file")
		}
		r.modules[name] = m
		r.m.Modules = append(r.m.Modules, m)
	}
}

// moduleFile checks that a file of PTX is there.
func (r *reader) moduleFile(n *strictjson.Node, path string) (string, bool) {
	name, ok := r.name(n, path)
	if !ok {
		return "", false
	}
	file := r.files.resolve(name)
	if _, err := regularSize(file); err != nil {
		r.Fail(path, "%s: %w", name, err)
		return "", false
	}
	return file, true
}

// module returns the module that a key names: one of "modules" or a file.
func (o object) module(key string) *Module {
	name, ok := o.name(key)
	if !ok {
		return nil
	}
	r := o.r
	if m, ok := r.modules[name]; ok {
		return m
	}
	file, ok := r.moduleFile(o.Get(key), o.At(key))
	if !ok {
		return nil
	}
	m := r.fileModule(file)
	if m == nil {
		m = &Module{Path: o.At(key), Name: name, Files: []string{file}}
		r.m.Modules = append(r.m.Modules, m)
	}
	r.modules[name] = m
	return m
}

// fileModule returns the module that a file became under another name
// (./a.ptx and a.ptx), nil if there is none.
func (r *reader) fileModule(file string) *Module {
	for _, m := range r.m.Modules {
		if !m.Named && m.Files[0] == file {
			return m
		}
	}
	return nil
}
