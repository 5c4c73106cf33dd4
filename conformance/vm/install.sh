#!/usr/bin/env bash
# Installs Debian packages, as root or with a sudo that asks for no password. It waits up to ten minutes for a process that holds apt's locks.
set -euo pipefail
as_root=()
if [ "$(id -u)" != 0 ]; then
	sudo -n true 2>/dev/null || {
		echo "not root, and no sudo without a password; install them as root: apt-get install --no-install-recommends $*" >&2
		exit 1
	}
	as_root=(sudo -n)
fi
command -v apt-get >/dev/null || {
	echo "there is no apt-get here; install the like of: $*" >&2
	exit 1
}
apt=("${as_root[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600)
# The option covers the locks that an installation takes, not that of the lists, which update takes.
waiting=
until said=$("${apt[@]}" update 2>&1); do
	if [[ $said != *"Could not get lock"* ]] || ((SECONDS > 600)); then
		printf 'apt-get update failed; trying with the lists there are\n%s\n' "$said" >&2
		break
	fi
	[ -n "$waiting" ] || echo "waiting for another process that reads the lists of apt" >&2
	waiting=1
	sleep 1
done
"${apt[@]}" install -y --no-install-recommends "$@" >/dev/null
