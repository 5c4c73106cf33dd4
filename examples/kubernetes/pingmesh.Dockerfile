# pingmesh and the program that serves its metrics, with the libibverbs and the providers that they load.
# Build in the root of the repository: docker build -f examples/kubernetes/pingmesh.Dockerfile -t IMAGE .
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
RUN go build -o /out/pingmesh ./examples/pingmesh && go build -o /out/pingmesh-metrics ./examples/pingmesh/metrics

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libibverbs1 ibverbs-providers && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/ /usr/local/bin/
