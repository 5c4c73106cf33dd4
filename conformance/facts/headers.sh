#!/usr/bin/env bash
# headers.sh CACHE GITDIR RELEASE...: takes the headers that rdma-core releases install out of a clone of its repository,
# into CACHE/RELEASE. Nothing is built, and no network is used.
#
# Which files a release installs is said by the publish_headers calls of its own CMakeLists.txt. The kernel's rdma/*.h, which
# it carries for its own build, come with them, so that the compiler does not take this machine's. A release is the tag
# vRELEASE, or, where there is no tag yet, the newest commit when that says it is this release.
#
# The last line of the output, as that of fetch.sh, has the folders separated by colons, for example for
#
#	VERBSGEN_FACT_ROOTS=$(conformance/facts/headers.sh CACHE GITDIR 28.0 39.0 | tail -1) go test -count=1 ./conformance/facts
set -euo pipefail

die() {
	echo "headers: $*" >&2
	exit 1
}

[ $# -ge 3 ] || die "usage: $0 CACHE GITDIR RELEASE..."
mkdir -p "$1"
cache=$(cd "$1" && pwd)
repo=$2
shift 2
git -C "$repo" rev-parse --verify --quiet HEAD >/dev/null || die "$repo is no clone of rdma-core"
scratch=$(mktemp -d "$cache/.headers.XXXXXX") # beside the cache, so that the last step is a rename
trap 'rm -rf "$scratch"' EXIT

# commit_of RELEASE: the commit, or nothing.
commit_of() {
	git -C "$repo" rev-parse --verify --quiet "refs/tags/v$1^{commit}" && return 0
	if git -C "$repo" show HEAD:CMakeLists.txt | grep -qF "set(PACKAGE_VERSION \"$1\")"; then
		git -C "$repo" rev-parse HEAD
	fi
}

# published COMMIT FOLDER: a line "DEST FILE" for each header that the folder publishes; of kernel-headers also what is
# for the build alone.
published() {
	git -C "$repo" show "$1:$2/CMakeLists.txt" | awk -v all="$([ "$2" = kernel-headers ] && echo 1)" '
		/^publish_headers\(/ || (all && /^publish_internal_headers\(/) { inside = 1; dest = ""; sub(/^[^(]*\(/, "") }
		inside {
			ends = sub(/\).*/, "")
			n = split($0, words)
			for (i = 1; i <= n; i++)
				if (dest == "") dest = words[i]; else print dest, words[i]
			if (ends) inside = 0
		}'
}

# take RELEASE: all its headers into CACHE/RELEASE, or none.
take() {
	local release=$1 root=$scratch/$1 commit folder dest file
	commit=$(commit_of "$release")
	if [ -z "$commit" ]; then
		echo "headers: $repo has no release $release: no tag v$release, and the newest commit is another one" >&2
		return 1
	fi
	for folder in libibverbs librdmacm kernel-headers; do
		published "$commit" "$folder" >"$scratch/list" || return 1
		while read -r dest file; do
			case $dest in
			rdma | rdma/* | infiniband) ;;
			*) continue ;; # linux/*.h: the C library's own headers want this machine's
			esac
			mkdir -p "$root/usr/include/$dest"
			git -C "$repo" cat-file blob "$commit:$folder/$file" >"$root/usr/include/$dest/${file##*/}" || return 1
		done <"$scratch/list"
	done
	if [ ! -s "$root/usr/include/infiniband/verbs.h" ]; then
		echo "headers: release $release publishes no infiniband/verbs.h" >&2
		return 1
	fi
	rm -rf "${cache:?}/$release"
	mv "$root" "$cache/$release"
}

failed=0
roots=
for release in "$@"; do
	if [ ! -d "$cache/$release" ] && ! take "$release"; then
		failed=1
		continue
	fi
	roots+=${roots:+:}$cache/$release
done
echo "$roots"
exit "$failed"
