#!/usr/bin/env bash
# fetch.sh [--for PURPOSE] CACHE RELEASE...: gets the Debian packages of rdma-core releases and unpacks each into CACHE/RELEASE.
#
# The purpose decides which packages, so each has a CACHE of its own:
#
#	facts	the headers and the libraries of verbs and of librdmacm (the default)
#	run	libibverbs and what it needs, and the man pages of librdmacm; where the suite's C library is newer than this machine's that one too, so
#		that a program can run with it by the suite's own loader
#	arm64	what facts has, and the providers, of Debian's port to arm64
#	guest	what the root of a virtual machine needs: the library, its providers and tools, a shell
#	kernel	Debian's kernel, by the release that its suite has: 6.1
#	programs	other people's programs that .ci/card-programs runs, without what they need of the library: that is the machine's
#	source	the tarball of the release, unpacked; of a release of linux, as in 6.1.192, only what RDMA drivers are made of
#
# Nothing of the machine's apt is changed: lists, cache and status are in a folder of their own, signatures are verified,
# and the mirror is VERBSGEN_MIRROR, or the one that this machine's apt is configured for. The folders of what was got are the last line of
# the output, separated by colons. A package that is gone, or that is of another release by now, is named; the others
# are still got, and the script then fails. What is in CACHE already is not got again.
#
# To read the facts again and hold them against gcc:
#
#	roots=$(conformance/abi/facts/fetch.sh CACHE 33.2 44.0 56.1 65.0 | tail -1)
#	for root in ${roots//:/ }; do
#		go run ./cmd/verbsgen import --release "${root##*/}" --header "$root/usr/include/infiniband/verbs.h" \
#			--lib "$(echo "$root"/usr/lib/*/libibverbs.so.1)"
#	done
#	VERBSGEN_FACT_ROOTS=$roots go test -count=1 ./conformance/abi/facts
set -euo pipefail

packages=(libibverbs-dev libibverbs1) # of these the release is checked
whole=()                              # these with all that they depend on
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

die() {
	echo "fetch: $*" >&2
	exit 1
}

# suite_of RELEASE: the suite of Debian that carries a release.
suite_of() {
	case $1 in
	33.2) echo bullseye ;;
	44.0 | 6.1 | 6.1.* | 6.12.*) echo bookworm ;;
	56.1 | 6.12) echo trixie ;;
	65.0 | 7.2 | 7.2.*) echo sid ;;
	*) die "no suite of Debian is known for release $1; add it to suite_of in $0" ;;
	esac
}

# mirror: the address that this machine gets Debian's main archive from; by its origin, or, before the first
# apt-get update, by its path.
mirror() {
	local targets
	# shellcheck disable=SC2016 # apt's variables, not ours
	targets=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(SITE)' 'Created-By: Packages')
	awk -F '|' '$1 == "Debian" && $2 == "Debian" { print $4; found = 1; exit }
		$3 == "main" && $4 ~ /\/debian\/?$/ && !guess { guess = $4 }
		END { if (!found) print guess }' <<<"$targets"
}

# apt_in DIR COMMAND...: apt with its state below DIR.
apt_in() {
	local dir=$1 command=$2
	shift 2
	"$command" -qq -c "$dir/apt.conf" \
		-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$dir/sources" -o Dir::Etc::preferencesparts="$dir/sources" \
		-o Dir::State="$dir/state" -o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" \
		-o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin \
		-o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}

# prepare DIR SUITE: an apt that knows one suite.
prepare() {
	local dir=$1 suite=$2
	mkdir -p "$dir"/sources "$dir"/state/lists/partial "$dir"/cache/archives/partial
	: >"$dir/status"
	# the machine's apt may have commands that follow an update, such as emptying its own cache
	printf '#clear %s;\n' APT::Update::Pre-Invoke APT::Update::Post-Invoke APT::Update::Post-Invoke-Success \
		DPkg::Pre-Invoke DPkg::Post-Invoke >"$dir/apt.conf"
	{
		if [ "${packages[*]}" = rdma-core ]; then
			printf 'Types: deb-src\nTargets: Sources\n'
		else
			printf 'Types: deb\nTargets: Packages\n'
		fi
		echo "URIs: $site"
		echo "Suites: $suite"
		echo "Components: main"
		echo "Signed-By: $keyring"
		if [ "$suite" = sid ]; then
			echo "Check-Valid-Until: no" # sid's date may be past; the signature still counts
		fi
		if [ "$purpose" = source ] && [ "$suite" != sid ] && [ "${packages[*]}" != rdma-core ] && [ -n "$security" ]; then
			printf '\nTypes: deb\nURIs: %s\nSuites: %s-security\nComponents: main\nTargets: Packages\nSigned-By: %s\n' \
				"$security" "$suite" "$keyring"
		fi
	} >"$dir/sources/one.sources"
	apt_in "$dir" apt-get update >&2
}

# version_of DIR PACKAGE [RELEASE]: the version that the suite has, or nothing; one of the release where the suite has several.
version_of() {
	apt_in "$1" apt-cache madison "$2" | awk -F ' *[|] *' -v "release=${3-}" '{ sub(/^ */, "", $2) }
		NR == 1 { version = $2 }
		release != "" && index($2, release "-") == 1 { version = $2; exit }
		END { print version }'
}

# libc_is DIR RELATION: whether the suite's C library is older (lt) or newer (gt) than this machine's.
libc_is() {
	local theirs ours
	theirs=$(version_of "$1" libc6)
	ours=$(getconf GNU_LIBC_VERSION)
	dpkg --compare-versions "${theirs%%-*}" "$2" "${ours##* }"
}

# get RELEASE: all packages of a release into CACHE/RELEASE, or none.
get() {
	local release=$1 suite dir package version bad=0 names
	if [ "$purpose" = source ]; then
		case $release in
		*.*.*) packages=("linux-source-${release%.*}") ;;
		*) packages=(rdma-core) ;;
		esac
	fi
	names=("${packages[@]}")
	suite=$(suite_of "$release") || return 1
	dir=$scratch/$release
	if ! prepare "$dir" "$suite"; then
		echo "fetch: the archive of $suite, for release $release, cannot be read: gone, or moved" >&2
		return 1
	fi
	for package in "${packages[@]}"; do
		version=$(version_of "$dir" "$package" "$release")
		[ "$purpose" != source ] || names=("$package=$version")
		[[ $purpose != kernel || $version != "$release".* ]] || version=$release
		case $version in
		"")
			echo "fetch: $package of release $release is gone: $suite has no such package any more" >&2
			bad=1
			;;
		"$release"-* | *:"$release"-* | "$release") ;;
		*)
			echo "fetch: $package of release $release is gone: $suite has $version now" >&2
			bad=1
			;;
		esac
	done
	[ "$bad" = 0 ] || return 1
	if [ "$purpose" = guest ] && libc_is "$dir" lt; then
		echo "fetch: release $release is no root for a guest: programs built here need a newer C library than $suite has" >&2
		return 1
	fi
	if [ "$purpose" = facts ] || [ "$purpose" = arm64 ]; then
		for package in librdmacm1t64 librdmacm1; do # the name changed with the width of time_t
			if [ -n "$(version_of "$dir" "$package")" ]; then
				names+=("$package")
				break
			fi
		done
	fi
	mkdir -p "$dir/debs" "$dir/root"
	if [ "${packages[*]}" = rdma-core ]; then # apt compares the tarball with the signed list
		(cd "$dir/debs" && apt_in "$dir" apt-get source --download-only --tar-only "${names[@]}") >&2 || return 1
		tar -xf "$dir"/debs/rdma-core_*.orig.tar.* -C "$dir/root" --strip-components=1 || return 1
		rm -rf "${cache:?}/$release"
		mv -T "$dir/root" "$cache/$release"
		return
	fi
	if [ "$purpose" = kernel ]; then # what it depends on that has files of the kernel: names that change with every update
		mapfile -t names < <(apt_in "$dir" apt-get --simulate --no-install-recommends install "${packages[@]}" |
			sed -nE 's/^Inst (linux-(base|image|modules|binary)-[0-9][^ ]*) .*/\1/p')
		[ "${#names[@]}" -gt 0 ] || die "linux-image-amd64 of $suite depends on no package of a known form"
	fi
	if [ "$purpose" = programs ]; then
		names+=(perftest libibumad3 libpci3 ucx-utils libucx0 libfabric-bin libfabric1 libpsm-infinipath1 libpsm2-2 libnuma1 rdmacm-utils)
	fi
	if [ "$purpose" = arm64 ] || { [ "$purpose" = run ] && ! libc_is "$dir" gt; }; then
		names+=(libnl-3-200 libnl-route-3-200) # the library needs them beside the C library
	fi
	(cd "$dir/debs" && apt_in "$dir" apt-get download "${names[@]}") >&2 || return 1
	if [ "$purpose" = guest ] || { [ "$purpose" = run ] && libc_is "$dir" gt; }; then
		apt_in "$dir" apt-get install --yes --download-only --no-install-recommends "${whole[@]}" >&2 || return 1
		mv "$dir"/cache/archives/*.deb "$dir/debs/" || return 1
	fi
	for package in "$dir"/debs/*.deb; do
		dpkg -x "$package" "$dir/root" || return 1
	done
	[ "$purpose" != source ] || keep_drivers "$dir" || return 1
	for psm in "$dir"/root/usr/lib/libpsm1/libpsm_infinipath.so.1.*; do # its installation makes the name that programs load
		[ ! -e "$psm" ] || ln -s "../libpsm1/${psm##*/}" "$(echo "$dir"/root/usr/lib/*-linux-gnu)/libpsm_infinipath.so.1" || return 1
	done
	rm -rf "${cache:?}/$release"
	mv -T "$dir/root" "$cache/$release"
}

# keep_drivers DIR: leaves in DIR/root what RDMA drivers are made of, out of the archive with the kernel's source.
keep_drivers() {
	mkdir "$1/tree"
	tar -xJf "$1"/root/usr/src/linux-source-*.tar.xz -C "$1/tree" --strip-components=1 --wildcards --no-wildcards-match-slash \
		'*/drivers/infiniband' '*/drivers/net/ethernet/mellanox' '*/include/linux/mlx*' '*/include/rdma' '*/include/uapi/rdma' || return 1
	rm -rf "$1/root"
	mv -T "$1/tree" "$1/root"
}

purpose=facts
if [ "${1-}" = --for ]; then
	purpose=${2-}
	shift 2 || die "--for wants a purpose"
fi
architecture=$(dpkg --print-architecture)
case $purpose in
arm64)
	packages+=(librdmacm-dev ibverbs-providers)
	architecture=arm64
	;;
facts) packages+=(librdmacm-dev) ;;
run)
	packages+=(librdmacm-dev) # its man pages
	whole=(libibverbs1)
	;;
guest)
	packages=(libibverbs1 ibverbs-providers ibverbs-utils)
	whole=("${packages[@]}" rdmacm-utils iproute2 dash bash coreutils util-linux base-files)
	;;
kernel) packages=(linux-image-amd64) ;;
programs) packages=(python3-pyverbs) ;;
source) packages=() ;; # by release
*) die "--for $purpose: pass facts, run, arm64, guest, kernel, programs or source" ;;
esac
[ $# -ge 2 ] || die "usage: $0 [--for facts|run|arm64|guest|kernel|programs|source] CACHE RELEASE..."
for tool in apt-get dpkg flock; do
	command -v "$tool" >/dev/null || die "needs $tool"
done
[ -e "$keyring" ] || die "$keyring is missing; install debian-archive-keyring"
mkdir -p "$1"
cache=$(cd "$1" && pwd)
shift
exec 9<"$cache"
flock 9 # another run may be getting the same
site=${VERBSGEN_MIRROR:-$(mirror)}
# shellcheck disable=SC2016 # apt's variables, not ours
security=$(apt-get indextargets --format '$(LABEL)|$(SITE)' 'Created-By: Packages' | awk -F '|' '$1 == "Debian-Security" { print $2; exit }')
[ -n "$site" ] || die "this machine's apt has no archive of Debian configured"
scratch=$(mktemp -d "$cache/.fetch.XXXXXX") # beside the cache, so that the last step is a rename
trap 'rm -rf "$scratch"' EXIT

failed=0
roots=
for release in "$@"; do
	if [ ! -d "$cache/$release" ]; then # it comes whole, by a rename, or not at all
		if ! get "$release"; then
			failed=1
			continue
		fi
		echo "got $release from $(suite_of "$release")"
	fi
	roots+=${roots:+:}$cache/$release
done
echo "$roots"
exit "$failed"
