package mlx5dv_test

import (
	"fmt"
	"log"

	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// A program loads libibverbs, then libmlx5 beside it. Objects are those of package verbs, with attributes of both packages.
func Example() {
	lib, err := verbs.Load()
	if err != nil {
		log.Fatal(err)
	}
	direct, err := mlx5dv.Load(lib)
	if err != nil {
		log.Fatal(err)
	}
	dev, err := lib.OpenDevice("mlx5_0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.CloseAll()
	if mine, err := direct.IsSupported(dev); err != nil || !mine {
		log.Fatalf("a device of mlx5: %t, %v", mine, err)
	}
	info, err := direct.QueryDevice(dev)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("strided receives are known:", info.Given&mlx5dv.ContextMaskStridingRQ != 0)
	dm, err := direct.AllocDM(dev, verbs.NewAllocDMAttr(256), mlx5dv.NewAllocDMAttr(mlx5dv.DMTypeMEMIC))
	if err != nil {
		log.Fatal(err)
	}
	defer dm.Close()
	_, err = dm.WriteAt([]byte("on the card"), 0) // as any device memory
	fmt.Println(err)
}
