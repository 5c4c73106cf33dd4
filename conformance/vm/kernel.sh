#!/usr/bin/env bash
# kernel.sh FETCH DIR RELEASE MODULE...: makes DIR of Debian's kernel: vmlinuz, its full release, and the modules with all that they need, packed
# as the kernel unpacks them, in an order in which they can be loaded. One with a question mark is left out where the kernel lacks it.
set -euo pipefail
fetch=$1 dir=$2 name=$3
shift 3
exec 9>"${dir%/*}/lock"
flock 9 # another run may be making the same
[ ! -e "$dir/release" ] || exit 0
work=$(mktemp -d "${dir%/*}/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$fetch" --for kernel "$work/packages" "$name" >&2
tree=$work/packages/$name
[ -e "$tree/lib" ] || ln -s usr/lib "$tree/lib" # newer packages use usr/lib alone, but kmod looks for lib
release=$(basename "$tree"/lib/modules/*)
mkdir -p "$work/image" "$work/root/mods"
echo "$release" >"$work/image/release"
for file in "$tree/boot/vmlinuz-$release" "$tree/lib/modules/$release/vmlinuz"; do
	[ ! -e "$file" ] || cp "$file" "$work/image/vmlinuz"
done
depmod -b "$tree" "$release"
n=100
for module; do
	plan=$(modprobe -d "$tree" -S "$release" --show-depends "${module%\?}") || [[ $module == *\? ]] || exit 1
	while read -r how file _; do # "insmod FILE", or "builtin NAME"
		base=${file##*/}
		base=${base%%.ko*}
		if [ "$how" != insmod ] || compgen -G "$work/root/mods/*-$base.ko" >/dev/null; then
			continue
		fi
		case $file in
		*.xz) xz -dc "$file" ;;
		*) cat "$file" ;;
		esac >"$work/root/mods/$n-$base.ko"
		n=$((n + 1))
	done <<<"$plan"
done
(cd "$work/root" && find mods | busybox cpio -o -H newc | gzip) >"$work/image/modules.cpio.gz"
rm -rf "${dir%-*}"-* # this one, and those with other modules
mv -T "$work/image" "$dir"
