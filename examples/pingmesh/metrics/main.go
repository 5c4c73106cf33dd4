// Command metrics serves what pingmesh reports as metrics for Prometheus. It starts the command behind its flags, reads lines of JSON
// from it, and ends with it:
//
//	metrics -listen :9516 pingmesh -device mlx5_0 -peers @hosts -every 15s -json
//	pingmesh -json | metrics                    without -listen: prints the metrics at the end
//
// It is a module of its own, so that programs that use the bindings do not require Prometheus' client library. dashboard.json is a
// dashboard for Grafana.
//
// # Metrics
//
//	pingmesh_probes_total{agent,peer,result}              probes that were sent, answered, lost, late, twice or unsent
//	pingmesh_rtt_seconds{agent,peer,quantile}             round-trip time of the network, in the latest report
//	pingmesh_prober_delay_seconds{agent,peer,quantile}    delay in the prober
//	pingmesh_responder_delay_seconds{agent,peer,quantile} delay in the responder
//	pingmesh_peer_error{agent,peer}                       1 if the peer is not met at present
//	pingmesh_foreign_datagrams_total{agent}               datagrams that were ignored
//	pingmesh_report_time_seconds{agent}                   when the latest report ended
//
// A quantile is 0.5, 0.9, 0.99 or 1, which is the longest. A time that was not measured has no sample.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		os.Exit(exit.ExitCode()) // pingmesh has said why
	case err != nil:
		fmt.Fprintln(os.Stderr, "metrics:", err)
		os.Exit(1)
	}
}

// run reads reports until there are no more. What it reads is copied to stdout if the metrics are served.
func run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) error {
	f := flag.NewFlagSet("metrics", flag.ContinueOnError)
	f.SetOutput(stderr)
	listen := f.String("listen", "", "TCP address where metrics are served at /metrics; without it they are printed at the end")
	if err := f.Parse(args); err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	m := newMetrics(registry)
	if *listen == "" {
		return errors.Join(feed(ctx, m, stdin, io.Discard, stderr, f.Args()), write(stdout, registry))
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "metrics: http://%s/metrics\n", ln.Addr())
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	err = feed(ctx, m, stdin, stdout, stderr, f.Args())
	if closed := server.Close(); closed != nil {
		err = errors.Join(err, closed)
	}
	if end := <-served; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

// feed reads reports from the command, or from stdin without one. When the context ends, the command is interrupted, and its last
// report is read.
func feed(ctx context.Context, m *metrics, stdin io.Reader, stdout, stderr io.Writer, command []string) error {
	if len(command) == 0 {
		return m.read(io.TeeReader(stdin, stdout))
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = m.read(io.TeeReader(out, stdout))
	if err != nil {
		cmd.Process.Kill()
	}
	end := cmd.Wait()
	if err == nil && ctx.Err() != nil && errors.Is(end, context.Canceled) {
		return nil
	}
	return errors.Join(err, end)
}

// write prints all metrics in the text format.
func write(w io.Writer, registry *prometheus.Registry) error {
	families, err := registry.Gather()
	if err != nil {
		return err
	}
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(w, family); err != nil {
			return err
		}
	}
	return nil
}
