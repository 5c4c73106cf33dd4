//go:build linux

// Command run runs a program on the emulated card: go run ./conformance/card/run ibv_devinfo. CARD_LOG=FILE logs every command of the
// program to its device.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/verbsgen/verbsgen/conformance/card"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: run COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	err := run(os.Args[1:])
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

// run builds the card and runs the command on it.
func run(args []string) error {
	dir, err := os.MkdirTemp("", "card")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := card.Build(dir)
	if err != nil {
		return err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = c.Environ(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
