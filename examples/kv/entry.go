package main

import (
	"bytes"
	"hash/crc32"
	"hash/fnv"
)

// An entry of the table or of a ring is a key, a value and the checksum of both. The rest of a key and of a value is zero.
const (
	keySize   = 24
	valueSize = 36
	entrySize = keySize + valueSize + 4
	slots     = 64 // entries of the table
	ringSize  = 4  // entries of a ring
)

// seal makes an entry; what is too long of a key or a value is cut off.
func seal(entry []byte, key, value string) {
	clear(entry)
	copy(entry[:keySize], key)
	copy(entry[keySize:keySize+valueSize], value)
	sum(entry, entry[keySize+valueSize:])
}

// sum stores the checksum of an entry.
func sum(entry, to []byte) {
	n := crc32.ChecksumIEEE(entry[:keySize+valueSize])
	for i := range 4 {
		to[i] = byte(n >> (8 * i))
	}
}

// parse returns what an entry has. An entry that was never used has no key; ok says that the checksum matches.
func parse(entry []byte) (key, value string, ok bool) {
	var want [4]byte
	sum(entry, want[:])
	text := func(b []byte) string { return string(bytes.TrimRight(b, "\x00")) }
	key, value = text(entry[:keySize]), text(entry[keySize:keySize+valueSize])
	return key, value, bytes.Equal(want[:], entry[keySize+valueSize:])
}

// slot is where the search for a key begins; it goes on with the slots that follow.
func slot(key string) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int(h.Sum32() % slots)
}
