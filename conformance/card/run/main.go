//go:build linux

// Command run runs a program on the emulated card: go run ./conformance/card/run ibv_devinfo. docs/card.md says what the environment
// changes: CARD_DEVICES, CARD_LIBRARIES, CARD_COMPILED, CARD_LOG, CARD_WIRE.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/conformance/card"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: run COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		code = 1
	}
	os.Exit(code)
}

// providers returns those of the devices that a list names: a number is of so many of mlx5.
func providers(list string) []string {
	if n, err := strconv.Atoi(list); err == nil {
		return slices.Repeat([]string{"mlx5"}, max(n, 0))
	}
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// run builds the card, runs the command on it, and returns the command's exit code.
func run(args []string) (int, error) {
	dir, err := os.MkdirTemp("", "card")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	c, err := card.Build(dir, card.Options{Providers: providers(os.Getenv("CARD_DEVICES")), Libraries: os.Getenv("CARD_LIBRARIES"),
		Compiled: os.Getenv("CARD_COMPILED")})
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = c.Environ(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}
