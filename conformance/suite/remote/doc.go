// Package remote has the other end of a connection on another machine: one process serves the ends of its device over HTTP,
// and the suite in another uses them as if they were its own.
//
// It owns the session: it lasts as long as its TCP connection, only one is served at a time, and all its ends are closed when it is
// over. It owns the limits on time and size too. It must not know which cases there are, and no verb: ends are made and used
// through package far.
//
// With a secret both sides speak TLS, with a key that they derive from the secret. Without one, whoever reaches the port may use
// the device as far as the limits go.
package remote
