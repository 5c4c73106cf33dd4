#!/usr/bin/env bash
#SBATCH --job-name=verbsgen-pingmesh
#SBATCH --ntasks-per-node=1
#SBATCH --time=00:10:00
# Probes between the nodes of the job: a step with an agent on each node, which probes the EACH nodes behind it.
#
#	DEVICE    the RDMA device, of the same name on all nodes; must be set. softverbs is not a device here
#	BINARY    the program: ./pingmesh
#	PORT      the TCP port of the agents: 18516
#	EACH      how many nodes an agent probes: 16
#	DURATION  how long to probe: 2m
#	REPORTS   the folder of the reports: ./pingmesh-JOBID
#	MORE      more flags of pingmesh, such as "-gid-index 3"
set -euo pipefail

device=${DEVICE:?name the device of all nodes: DEVICE=mlx5_0 sbatch --nodes=8 pingmesh.sh}
binary=${BINARY:-$PWD/pingmesh}
port=${PORT:-18516}
each=${EACH:-16}
duration=${DURATION:-2m}
reports=${REPORTS:-$PWD/pingmesh-$SLURM_JOB_ID}
read -ra more <<<"${MORE:-}"

runs() { [ -f "$1" ] && [ -x "$1" ]; }
runs "$binary" || {
	echo "no program $binary; make it with: go build ./examples/pingmesh" >&2
	exit 2
}
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
[ ${#nodes[@]} -ge 2 ] || {
	echo "${#nodes[@]} nodes (${nodes[*]}); it takes two: sbatch --nodes=2" >&2
	exit 2
}
mkdir -p "$reports"
for i in "${!nodes[@]}"; do
	for ((j = 1; j <= each && j < ${#nodes[@]}; j++)); do
		echo "${nodes[(i + j) % ${#nodes[@]}]}:$port"
	done >"$reports/${nodes[i]}.peers"
done

# shellcheck disable=SC2016 # SLURMD_NODENAME is the task's
srun --nodes="${#nodes[@]}" --ntasks="${#nodes[@]}" bash -c '
	binary=$1 reports=$2
	shift 2
	exec "$binary" -peers "@$reports/$SLURMD_NODENAME.peers" "$@" >"$reports/$SLURMD_NODENAME.json"
' pingmesh "$binary" "$reports" -device "$device" -listen ":$port" -duration "$duration" -json "${more[@]}"
echo "reports: $reports"
