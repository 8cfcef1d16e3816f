package manifest

import (
	"slices"

	"hyptx/internal/strictjson"
)

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
}

func (r *reader) modulesOf(o object) {
	for _, e := range o.entries("modules") {
		mo, ok := r.object(e.node, e.path, "files")
		if !ok || mo.Need("files") == nil {
			continue
		}
		m := &Module{Path: e.path, Name: e.name, Named: true}
		for i, f := range mo.Elements("files") {
			m.Files = append(m.Files, r.moduleFile(f, strictjson.ElementPath(mo.At("files"), i)))
		}
		if list := mo.Get("files"); list.Kind == strictjson.Array && len(list.List) == 0 {
			mo.Fail("files", "must name at least one file")
		}
		r.modules[e.name] = m
		r.m.Modules = append(r.m.Modules, m)
	}
}

// moduleFile returns where a file of PTX is, "" after an error.
func (r *reader) moduleFile(n *strictjson.Node, path string) string {
	sound := r.Watch()
	name := r.name(n, path)
	if !sound() {
		return ""
	}
	file, _, err := r.files.find(name)
	if err != nil {
		r.Fail(path, "%w", err)
	}
	return file
}

// module returns the module that a key names, one of "modules" or a file; nil
// after an error. Launches share a module's variables, so that a file is one
// module by whatever names launches call it: ./a.ptx is a.ptx.
func (o object) module(key string) *Module {
	n := o.Need(key)
	if n == nil {
		return nil
	}
	r := o.r
	if m, ok := r.modules[n.Text]; ok && n.Kind == strictjson.String {
		return m
	}
	file := r.moduleFile(n, o.At(key))
	if file == "" {
		return nil
	}
	i := slices.IndexFunc(r.m.Modules, func(m *Module) bool { return !m.Named && m.Files[0] == file })
	if i < 0 {
		i = len(r.m.Modules)
		r.m.Modules = append(r.m.Modules, &Module{Path: o.At(key), Name: n.Text, Files: []string{file}})
	}
	r.modules[n.Text] = r.m.Modules[i]
	return r.m.Modules[i]
}
