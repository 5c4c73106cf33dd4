// Package pingpong is a ping-pong over a reliable connection that understands ibv_rc_pingpong, the C program that comes
// with rdma-core: either may be the server of the other.
//
// It owns what is said over TCP, the queue pair, and the game: the client sends a message, each side answers a message
// by one of its own, until both have sent and received as many as agreed. The server answers with the bytes it got. It must
// not know where the device and the TCP port come from. The path MTU is 1024 bytes, as the C program's is without -m.
package pingpong
