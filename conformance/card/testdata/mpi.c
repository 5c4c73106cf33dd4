// Ranks send each other messages of several sizes, and add numbers: the first says whether all data was right.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int right(const unsigned char *b, int n, int from)
{
	for (int i = 0; i < n; i++)
		if (b[i] != (unsigned char)(i * 7 + from))
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	int rank, ranks, ok = 1, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int n = 1; n <= 1 << 20; n *= 32) {
		unsigned char *out = malloc(n), *in = calloc(n, 1);

		for (int i = 0; i < n; i++)
			out[i] = (unsigned char)(i * 7 + rank);
		MPI_Sendrecv(out, n, MPI_BYTE, (rank + 1) % ranks, 1, in, n, MPI_BYTE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		ok &= right(in, n, (rank + ranks - 1) % ranks);
		free(in);
		free(out);
	}
	for (int k = 0; k < 20; k++) {
		long mine[1000], sum[1000];

		for (int i = 0; i < 1000; i++)
			mine[i] = i * k + rank;
		MPI_Allreduce(mine, sum, 1000, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		for (int i = 0; i < 1000; i++)
			ok &= sum[i] == (long)ranks * i * k + ranks * (ranks - 1) / 2;
	}
	MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (!rank)
		printf("%s on %d\n", all ? "right" : "wrong", ranks);
	MPI_Finalize();
	return !all;
}
