// Package connect connects a queue pair to one of another process, by a short conversation over any net.Conn:
//
//	peer, err := connect.RC(ctx, conn, qp, connect.Options{})
//
// UC does the same for unreliable queue pairs. UD makes a queue pair for datagrams ready, and learns the address of the peer's.
//
// It owns the conversation, the choice of the GIDs and the changes of state. It must not know what the queue pair is used for:
// timers, rights and sizes are the caller's, and so is the data that the peer gets with the addresses. A peer may be anybody: what it
// sends is bounded and checked, and the conversation ends with its context. The connection is neither encrypted nor authenticated;
// pass a tls.Conn where that is needed.
package connect
