# pingmesh with libibverbs and the providers that it loads.
# Build in the root of the repository: docker build -f examples/kubernetes/pingmesh.Dockerfile -t IMAGE .
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
RUN go build -o /out/pingmesh ./examples/pingmesh

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libibverbs1 ibverbs-providers && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/ /usr/local/bin/
