// Package facts holds the facts that verbsgen reads from a header against what gcc makes of the same header.
//
// It owns the other side of that comparison: records, enums and their values out of gcc's DWARF, functions out of
// gcc -aux-info, macros out of gcc -dD -E. It must not know how verbsgen parses: it takes finished [api.Release] values.
// It needs gcc, so only tests use it. fetch.sh gets the packages of releases that Debian has,
// `verbsgen import --git DIR --keep FOLDER` takes the headers of any release out of a repository of rdma-core.
package facts
