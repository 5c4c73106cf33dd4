package conn

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

// NewEndpoint creates an endpoint with the queue pair of the connection, and posts its receives. Call it once, in Options.QP, and return
// the queue pair of the endpoint. When the connection ends, so does the endpoint; Close of the connection closes it. If NewEndpoint fails,
// it leaves nothing open. If the program sets Config.CreateQP, the function must call c.ID.CreateQP with e.PD.
func (c *Conn) NewEndpoint(config endpoint.Config) (*endpoint.Endpoint, error) {
	if c == nil || c.n == nil {
		return nil, errNever
	}
	if c.Endpoint() != nil {
		return nil, fmt.Errorf("conn: the connection has an endpoint already: %w", syscall.EINVAL)
	}
	dev, err := c.ID.Device()
	if err != nil {
		return nil, err
	}
	c.n.mu.Lock()
	c.n.devices[dev] = true
	c.n.mu.Unlock()
	if config.CreateQP == nil {
		config.CreateQP = func(e *endpoint.Endpoint, attr verbs.QPInitAttr) (*verbs.QP, error) { return c.ID.CreateQP(e.PD, attr) }
	}
	e, err := endpoint.New(dev, config)
	if err != nil {
		return nil, err
	}
	if err := e.PostRecvs(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endpoint = e
	return e, nil
}

// Endpoint returns the endpoint that NewEndpoint made, and nil if there is none.
func (c *Conn) Endpoint() *endpoint.Endpoint {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.endpoint
}
