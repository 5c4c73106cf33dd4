#!/usr/bin/env bash
#SBATCH --job-name=verbsgen-two-machines
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --time=00:30:00
# Runs the conformance suite on the second node of the job, against a device of the first; in an array job, each task has two nodes.
#
#	DEVICE  the RDMA device, of the same name on both nodes; must be set
#	BINARY  the program: ./conformance.test
#	PORT    the TCP port on the first node: 7471; two jobs on one node need two
#	REPORT  the file of the report: ./report-JOBID.json, in an array ./report-JOBID_TASK.json
#	MORE    more flags for both sides: "-port 2 -gid-index 3"; on shared nodes "-secret FILE", a file that both nodes see
#
# The first node is reached at the address that Slurm uses (NodeAddr).
set -euo pipefail

device=${DEVICE:?name the device of both nodes: DEVICE=mlx5_0 sbatch two-machines.sh}
binary=${BINARY:-$PWD/conformance.test}
port=${PORT:-7471}
job=$SLURM_JOB_ID
[ -z "${SLURM_ARRAY_JOB_ID-}" ] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
report=${REPORT:-$PWD/report-$job.json}
read -ra more <<<"${MORE:-}"

runs() { [ -f "$1" ] && [ -x "$1" ]; }
runs "$binary" || {
	echo "no program $binary; make it with: go test -c ./conformance" >&2
	exit 2
}
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
[ ${#nodes[@]} = 2 ] || {
	echo "${#nodes[@]} nodes (${nodes[*]}); it takes two: sbatch --nodes=2" >&2
	exit 2
}
address=$(scontrol --oneliner show node "${nodes[0]}" | sed -n 's/.* NodeAddr=\([^ ]*\).*/\1/p')
address=${address:-${nodes[0]}}

on() { # on NODE COMMAND...: one task of its own on a node
	local node=$1
	shift
	srun --nodes=1 --ntasks=1 --nodelist="$node" "$@"
}

on "${nodes[0]}" "$binary" -device "$device" "${more[@]}" -listen "$address:$port" -once -idle 10m &
far=$!
trap 'kill "$far" 2>/dev/null || true' EXIT

status=0
on "${nodes[1]}" "$binary" -device "$device" "${more[@]}" -connect "$address:$port" -wait 2m -report "$report" || status=$?
[ ! -e "$report" ] || echo "report: $report"
if [ $status = 0 ]; then
	wait "$far" || status=$? # it ends with its one session
fi
exit $status
