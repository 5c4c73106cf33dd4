// Package devinfo writes down a device in the names and forms of rdma-core's ibv_devinfo -v.
//
// It owns the texts; what a device can do it learns from the bindings alone, and from sysfs the two things that no verb
// tells: the board's name, and what kind of GID an entry of the table is. Of what ibv_devinfo prints it leaves out the
// effective speed and the completion counters, whose verbs are not bound.
package devinfo
