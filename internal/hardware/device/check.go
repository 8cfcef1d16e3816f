package device

import (
	"errors"

	"hyptx/internal/manifest"
	"hyptx/internal/strictjson"
)

// What the emulator allows and a GPU does not. The driver would refuse most of it as
// well, with a number and without saying which launch or key was meant, and some of it
// not at all: it launches on the SMs that it has, whatever the manifest says of them.

// checkManifest reports what the manifest asks for that no GPU gives.
func (p *Program) checkManifest() error {
	m := p.s.Manifest
	var errs strictjson.Errors
	for _, b := range m.Buffers {
		if b.Elastic {
			errs = append(errs, m.Errorf(b.Path, "on a GPU a pointer needs memory to point to, and nothing says how much; give the argument as a file (option arg name=@file.npy), or write a manifest"))
		}
	}
	if n := m.Device.SMs; n != 0 && n != p.c.Device.SMs {
		errs = append(errs, m.Errorf("device.sms", "%s has %d SMs, not %d; leave the key out to run on a GPU", p.c.Device.Name, p.c.Device.SMs, n))
	}
	for _, t := range m.Textures {
		errs = append(errs, m.Errorf(t.Path, "%w", errTextures))
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// errTextures is why a program with textures does not run on a GPU.
var errTextures = errors.New("textures and surfaces are emulated, but this version does not make them on GPUs")

// checkLaunch holds a launch against the GPU and the compiled kernel.
func (p *Program) checkLaunch(l *manifest.Launch, k *kernel) error {
	m, gpu := p.s.Manifest, &p.c.Device
	var most int
	for _, get := range []struct {
		to   *int
		from func() (int, error)
	}{
		{&k.took.Registers, k.function.Registers}, {&k.took.LocalBytes, k.function.LocalBytes},
		{&k.took.StaticSharedBytes, k.function.StaticSharedBytes}, {&most, k.function.MaxThreads},
	} {
		var err error
		if *get.to, err = get.from(); err != nil {
			return m.Errorf(l.Path, "kernel %s: %w", k.took.Kernel, err)
		}
	}
	threads := l.Block[0] * l.Block[1] * l.Block[2]
	shared := int64(k.took.StaticSharedBytes) + l.DynamicSharedBytes
	switch {
	case threads > most:
		return m.Errorf(l.Path+".block", "%d threads; compiled for %s, %s has room for %d, with %d registers each", threads, gpu.Name, k.took.Kernel, most, k.took.Registers)
	case gpu.SharedBytesPerBlockOptin > 0 && shared > int64(gpu.SharedBytesPerBlockOptin):
		return m.Errorf(l.Path+".dynamicSharedBytes", "with the kernel's own, %d bytes of shared memory; a CTA has at most %d on %s", shared, gpu.SharedBytesPerBlockOptin, gpu.Name)
	case l.Cluster != [3]int{1, 1, 1} && gpu.Major < 9:
		return m.Errorf(l.Path+".cluster", "%s (compute capability %d.%d) has no clusters; they need 9.0", gpu.Name, gpu.Major, gpu.Minor)
	}
	return nil
}
