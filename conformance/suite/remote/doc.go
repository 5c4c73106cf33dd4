// Package remote has the other end of a connection on another machine: one process serves the ends of its device over TCP,
// and the suite in another uses them as if they were its own.
//
// It owns the protocol: frames, the handshake, what each side checks of what the other says, the limits on time and size, and
// that all ends of a session are closed when it is over. It must not know which cases there are, and no verb: ends are made
// and used through package far.
//
// With a secret each side shows the other that it has it, without sending it. What follows is neither encrypted nor signed. Without
// one, whoever reaches the port may use the device as far as the limits go.
package remote
