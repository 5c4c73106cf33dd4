// Command grpc runs HTTP and gRPC over RDMA: the servers of net/http and google.golang.org/grpc take the connections of rdmanet as those of
// any other network. Both ends are in this process.
//
//	grpc                  on software devices
//	grpc -addr 10.0.0.1   on the device that has this address
//
// The program is a module of its own, so that only programs that want gRPC download it.
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

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/rdmacm/rdmanet"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

func main() {
	addr := flag.String("addr", "", "IP address of an RDMA device; without it software devices are used")
	flag.Parse()
	if err := run(os.Stdout, *addr); err != nil {
		fmt.Fprintln(os.Stderr, "grpc:", err)
		os.Exit(1)
	}
}

// open returns a network and an address of it. Software devices last as long as the process.
func open(addr string) (*conn.Network, string, error) {
	var v *verbs.Lib
	var lib *rdmacm.Lib
	var err error
	if addr == "" {
		addr = "10.0.0.1" // of the first software device
		soft := softverbs.New()
		if v, err = verbs.LoadFrom(soft); err == nil {
			lib, err = rdmacm.LoadFrom(v, softcm.New(soft))
		}
	} else if v, err = verbs.Load(); err == nil {
		lib, err = rdmacm.Load(v)
	}
	if err != nil {
		return nil, "", err
	}
	n, err := conn.New(lib)
	return n, addr, err
}

func run(w io.Writer, addr string) (err error) {
	n, addr, err := open(addr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if err := web(w, n, addr); err != nil {
		return fmt.Errorf("HTTP: %w", err)
	}
	if err := healthy(w, n, addr); err != nil {
		return fmt.Errorf("gRPC: %w", err)
	}
	return nil
}

// web serves a page, and reads it.
func web(w io.Writer, n *conn.Network, addr string) error {
	l, err := rdmanet.Listen(n, net.JoinHostPort(addr, "0"), rdmanet.Options{})
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hello over %s", r.Context().Value(http.LocalAddrContextKey).(net.Addr).Network())
	})}
	go server.Serve(l)
	defer server.Close()

	transport := &http.Transport{DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
		return rdmanet.Dial(ctx, n, addr, rdmanet.Options{})
	}}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Get("http://" + l.Addr().String())
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	fmt.Fprintf(w, "HTTP: %s\n", page)
	return err
}

// healthy serves the health service of gRPC, and calls it.
func healthy(w io.Writer, n *conn.Network, addr string) error {
	l, err := rdmanet.Listen(n, net.JoinHostPort(addr, "0"), rdmanet.Options{})
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	healthpb.RegisterHealthServer(server, health.NewServer())
	go server.Serve(l)
	defer server.Stop()

	client, err := grpc.NewClient("passthrough:///"+l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			return rdmanet.Dial(ctx, n, addr, rdmanet.Options{})
		}))
	if err != nil {
		return err
	}
	defer client.Close()
	answer, err := healthpb.NewHealthClient(client).Check(context.Background(), &healthpb.HealthCheckRequest{})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "gRPC: %s\n", answer.GetStatus())
	return nil
}
