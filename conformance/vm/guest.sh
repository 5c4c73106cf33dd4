#!/bin/sh
# Second half of the guest's start, with this machine's own programs: two connected soft-RoCE devices, then the jobs.
# A job is a folder with a script "run"; its output and its status are put beside it. Last comes the kernel's log.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
export VERBS_OUT=/out VERBS_DEVICE=rxe0 VERBS_REQUIRE_DEVICE=1

finish() {
	dmesg >/out/dmesg 2>/dev/null
	sync
	echo o >/proc/sysrq-trigger
	sleep 60
}

stage() {
	echo "$*" >/out/stage.new
	mv /out/stage.new /out/stage
}

# must does a step of the set-up, and ends the guest when it fails
must() {
	if ! "$@" 2>/out/why; then
		stage "failed: $*: $(cat /out/why)"
		finish
	fi
}

ipv4() { # ipv4 NAME VALUE
	echo "$2" >"/proc/sys/net/ipv4/conf/$1"
}

# rxe0 and rxe1 sit on the two ends of one veth pair. GID 0 (link-local) connects as it is. For GID 1 (the IPv4 address)
# packets must leave by the wire although both addresses are this machine's, so the table "local" comes after two rules.
devices() {
	must ip link set lo up
	must ip link add v0 mtu 4200 type veth peer name v1 mtu 4200
	for i in v0 v1; do
		ipv4 $i/accept_local 1
		ipv4 $i/rp_filter 0
	done
	ipv4 all/rp_filter 0
	ipv4 all/arp_ignore 1
	must ip addr add 10.8.0.1/24 dev v0
	must ip addr add 10.8.0.2/24 dev v1
	must ip link set v0 up
	must ip link set v1 up
	must ip rule add pref 5 iif v0 lookup local
	must ip rule add pref 6 iif v1 lookup local
	must ip rule add pref 10 oif v0 to 10.8.0.2 lookup 100
	must ip rule add pref 11 oif v1 to 10.8.0.1 lookup 101
	must ip rule add pref 32000 lookup local
	must ip rule del pref 0
	must ip route add 10.8.0.2 dev v0 src 10.8.0.1 table 100
	must ip route add 10.8.0.1 dev v1 src 10.8.0.2 table 101
	must rdma link add rxe0 type rxe netdev v0
	must rdma link add rxe1 type rxe netdev v1
	must wait_for_gids
}

# wait_for_gids waits until IPv6 has settled its addresses: then both devices have both GIDs.
wait_for_gids() {
	tries=0
	until [ "$(cat /sys/class/infiniband/rxe[01]/ports/1/gid_attrs/types/1 2>/dev/null | wc -l)" = 2 ]; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || return 1
		sleep 0.1
	done
}

stage devices
devices
echo 4 >/proc/sys/vm/nr_hugepages
echo "verbsgen: jobs begin" >/dev/kmsg
for job in /out/jobs/*; do
	stage "${job##*/}"
	sh "$job/run" </dev/null >"$job/output" 2>&1
	echo $? >"$job/status.new"
	mv "$job/status.new" "$job/status"
done
stage end
finish
