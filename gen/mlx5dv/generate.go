package mlx5dv

//go:generate go run ../../cmd/verbsgen generate --module mlx5dv
