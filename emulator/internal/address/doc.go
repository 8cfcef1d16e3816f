// Package address lays out the addresses of the emulated device: which space a
// generic address lies in, and where functions and variables begin.
//
// PTX has one address space for each kind of memory and a generic one in which
// all but registers have a window (PTX ISA 5.1, 9.7.10.23 cvta). An access names
// its space, or none: then its address decides ([Resolve]). The manual leaves
// it to the machine where the windows lie; these are hyptx's own:
//
//	0x7f00_0000_0000  buffers of a manifest (manifest.FirstAddress) and upwards
//	0x7e00_0000_0000  variables of modules in .global; 0x0800_0000 where addresses have 32 bits
//	0x7d00_0000_0000  shared memory of the CTA     4 GiB
//	0x7c00_0000_0000  local memory of the thread   4 GiB
//	0x7b00_0000_0000  .const variables             4 GiB
//	0x7a00_0000_0000  parameters of the kernel     4 GiB
//	0x7900_0000_0000  functions, 16 bytes each
//
// Within a window of 4 GiB the offset is the address in the space itself, so
// that cvta adds a constant and cvta.to subtracts it. All that lies in none of
// these windows is global, in particular small numbers: address 0 of the global
// space is the null pointer in both, and cvta.global changes nothing.
//
// In modules with 32-bit addresses the windows lie from 0x0700_0000 to 0x0800_0000, where
// no module has anything else.
package address
