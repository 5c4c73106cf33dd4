// Package connect connects a reliable queue pair (RC) to one of another process, by a short conversation over any net.Conn. It is
// an example: copy it, and change what your programs have to tell each other.
//
// It owns the conversation, the choice of the GIDs and the changes of state. It must not know what the queue pair is used for:
// timers, rights and sizes are the caller's, and so is the data that the peer gets with the addresses.
package connect
