// Package connect connects a queue pair to a queue pair of another process, by a short exchange over any net.Conn:
//
//	peer, err := connect.RC(ctx, conn, qp, connect.Options{})
//
// RC connects reliable queue pairs and UC unreliable ones. UD prepares a queue pair for datagrams and learns the peer's address.
//
// The package chooses the GIDs and changes the states of the queue pair. Options has timers, access flags and limits, and data for the
// peer, such as the address and the key of memory.
//
// The peer is not trusted: everything it sends is bounded and checked, and the context ends the exchange. The connection is neither
// encrypted nor authenticated; pass a tls.Conn if you need that.
package connect
