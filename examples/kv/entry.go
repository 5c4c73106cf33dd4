package main

import (
	"bytes"
	"encoding/binary"
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
	binary.BigEndian.PutUint32(entry[keySize+valueSize:], sum(entry))
}

// sum is the checksum of what an entry should have.
func sum(entry []byte) uint32 { return crc32.ChecksumIEEE(entry[:keySize+valueSize]) }

// parse returns what an entry has. An entry that was never used has no key; ok says that the checksum matches.
func parse(entry []byte) (key, value string, ok bool) {
	text := func(b []byte) string { return string(bytes.TrimRight(b, "\x00")) }
	return text(entry[:keySize]), text(entry[keySize : keySize+valueSize]), binary.BigEndian.Uint32(entry[keySize+valueSize:]) == sum(entry)
}

// slot is where the search for a key begins; it goes on with the slots that follow.
func slot(key string) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int(h.Sum32() % slots)
}
