//go:build linux && cgo

package verbs_test

import (
	"fmt"
	"log"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// A queue is asked for fields when it is made. A reader of the queue reads some of them, each completion into one struct, and all in one
// call into C.
func ExampleCQ_Reader() {
	lib, err := verbs.LoadFrom(softverbs.New(softverbs.Name("soft0"), softverbs.LikeMLX5()))
	if err != nil {
		log.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.CloseAll()
	cq, err := dev.CreateCQEx(verbs.NewCQInitAttrEx(16, verbs.WCFieldByteLen|verbs.WCFieldQPNum|verbs.WCFieldWallclock))
	if err != nil {
		log.Fatal(err)
	}
	reader, err := cq.Reader(verbs.WCFieldByteLen | verbs.WCFieldWallclock)
	if err != nil {
		log.Fatal(err)
	}
	wcs := make([]verbs.WCEx, 16)
	n, err := reader.PollSpin(wcs, 100)
	if err != nil {
		log.Fatal(err)
	}
	for i := range wcs[:n] {
		if err := wcs[i].Err(); err != nil {
			log.Print(err)
			continue
		}
		fmt.Println(wcs[i].ID, wcs[i].ByteLen, wcs[i].Wallclock())
	}
	fmt.Println(n, "completions")

	_, err = cq.Reader(verbs.WCFieldImm)
	fmt.Println(err)
	// Output:
	// 0 completions
	// ibv_start_poll: this CQ was not asked for IMM (0x2) when it was made; ask for it there, or read less
}
