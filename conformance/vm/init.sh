#!/bin/sh
# First process of the guest, in busybox: loads the modules, makes this machine's root (shared read-only over 9p, under a
# layer in memory) the guest's root, with the shared folder /out in it, and goes on with /out/guest.sh.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev

give_up() {
	echo "init: $*"
	poweroff -f
}

for m in /mods/*.ko; do
	insmod "$m" || echo "init: insmod $m failed"
done

share=trans=virtio,version=9p2000.L,msize=512000
mount -t 9p -o "$share,ro,cache=loose" root /ro || give_up "no share of the root"
mount -t tmpfs -o size=80% tmpfs /rw
mkdir -p /rw/upper /rw/work
mount -t overlay -o lowerdir=/ro,upperdir=/rw/upper,workdir=/rw/work root /mnt || give_up "no overlay"
for d in proc sys dev; do
	mkdir -p "/mnt/$d"
	mount --move "/$d" "/mnt/$d"
done
mkdir -p /mnt/dev/shm /mnt/dev/pts /mnt/out /mnt/run
mount -t tmpfs tmpfs /mnt/dev/shm
mount -t devpts devpts /mnt/dev/pts
mount -t tmpfs tmpfs /mnt/run
mount -t 9p -o "$share,rw,cache=none" out /mnt/out || give_up "no share of /out"
exec switch_root /mnt /bin/sh /out/guest.sh
