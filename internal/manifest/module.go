package manifest

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
	n := o.get("modules")
	if n == nil || !r.expect(n, "modules", objectNode) {
		return
	}
	for i, name := range n.keys {
		path := keyPath("modules", name)
		mo, ok := r.object(n.list[i], path, "files")
		if !r.checkName(name, path) || !ok || mo.need("files") == nil {
			continue
		}
		m := &Module{Path: path, Name: name, Named: true}
		for i, f := range mo.list("files") {
			if file, ok := r.moduleFile(f, elementPath(mo.at("files"), i)); ok {
				m.Files, m.names = append(m.Files, file), append(m.names, f.text)
			}
		}
		if list := mo.get("files"); list.kind == listNode && len(list.list) == 0 {
			mo.fail("files", "must name at least one file")
		}
		r.modules[name] = m
		r.m.Modules = append(r.m.Modules, m)
	}
}

// moduleFile checks that a file of PTX is there.
func (r *reader) moduleFile(n *node, path string) (string, bool) {
	name, ok := r.name(n, path)
	if !ok {
		return "", false
	}
	file := r.files.resolve(name)
	if _, err := regularSize(file); err != nil {
		r.fail(path, "%s: %w", name, err)
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
	file, ok := r.moduleFile(o.get(key), o.at(key))
	if !ok {
		return nil
	}
	m := r.fileModule(file)
	if m == nil {
		m = &Module{Path: o.at(key), Name: name, Files: []string{file}}
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
