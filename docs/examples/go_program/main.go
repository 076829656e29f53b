// A Go program that profiles a part of its own work through cgo.
//
//	PKG_CONFIG_PATH=DIR/lib/pkgconfig go build && ./go_program out.slbr
package main

/*
#cgo pkg-config: softlbr
#include <softlbr/decoders.h>
#include <softlbr/softlbr.h>

// Macros and designated initializers are C's: Go calls functions.
static int profile_start(int fd) {
  struct softlbr_options options = {.struct_size = sizeof options, .frequency_hz = 4999, .sink_fd = fd};
  softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  return softlbr_start(&options);
}
static const char* profile_status(int status) { return softlbr_status_text(status); }
*/
import "C"

import (
	"fmt"
	"os"
)

// Work with branches that depend on data.
func longestChain(limit uint64) int {
	longest := 0
	for start := uint64(1); start < limit; start++ {
		steps := 0
		for n := start; n != 1; steps++ {
			if n%2 != 0 {
				n = 3*n + 1
			} else {
				n /= 2
			}
		}
		if steps > longest {
			longest = steps
		}
	}
	return longest
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go_program OUT.slbr")
		os.Exit(2)
	}
	file, err := os.Create(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer file.Close()
	if status := C.profile_start(C.int(file.Fd())); status != C.SOFTLBR_OK {
		fmt.Fprintln(os.Stderr, "go_program: not profiled:", C.GoString(C.profile_status(status)))
		os.Exit(int(status))
	}
	fmt.Println("longest chain:", longestChain(1000000), "steps")
	if status := C.softlbr_stop(); status != C.SOFTLBR_OK {
		fmt.Fprintln(os.Stderr, "go_program: not stopped:", C.GoString(C.profile_status(status)))
		os.Exit(int(status))
	}
}
