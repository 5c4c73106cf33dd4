package model

import (
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file has the rules by which C names become Go names. An exact name that the rules get wrong is given by a page.

// initialisms are words that Go code writes in capitals, or in a spelling of their own.
var initialisms = map[string]string{
	"addr": "Addr", "ah": "AH", "av": "AV", "api": "API", "ca": "CA", "cc": "CC", "cm": "CM", "cpu": "CPU", "cq": "CQ", "cqe": "CQE",
	"crc": "CRC", "dm": "DM", "dma": "DMA", "dmah": "DMAH", "dmabuf": "DMABuf", "eec": "EEC", "eecn": "EECN", "fcs": "FCS",
	"fd": "FD", "fw": "FW",
	"gid": "GID", "guid": "GUID", "hca": "HCA", "hw": "HW", "ib": "IB", "id": "ID", "ip": "IP", "iova": "IOVA",
	"ipv4": "IPv4", "ipv6": "IPv6", "lid": "LID", "lkey": "LKey", "lmc": "LMC", "mr": "MR", "mtu": "MTU", "mw": "MW",
	"odp": "ODP", "pci": "PCI", "pd": "PD", "pkey": "PKey", "pm": "PM", "psn": "PSN", "qkey": "QKey", "qp": "QP", "qpn": "QPN",
	"qpt": "QPT", "qps": "QPs",
	"rc": "RC", "rd": "RD", "rdd": "RDD", "rdma": "RDMA", "rkey": "RKey", "rnic": "RNIC", "rnr": "RNR", "roce": "RoCE", "rq": "RQ",
	"rss": "RSS", "rtr": "RTR", "rts": "RTS", "rwq": "RWQ", "rx": "RX",
	"sge": "SGE", "sl": "SL", "sqd": "SQD", "sqe": "SQE", "sm": "SM", "sq": "SQ", "srq": "SRQ", "sw": "SW", "tcp": "TCP", "td": "TD",
	"tm": "TM", "tph": "TPH",
	"tso": "TSO", "uc": "UC", "ud": "UD", "udp": "UDP", "va": "VA", "vl": "VL", "wc": "WC", "wq": "WQ", "wqe": "WQE", "wr": "WR",
	"xrc": "XRC", "xrcd": "XRCD", "usnic": "USNIC", "iwarp": "IWARP",
	"dci": "DCI", "dct": "DCT", "dek": "DEK", "devx": "DevX", "eqn": "EQN", "icm": "ICM", "lag": "LAG", "memic": "MEMIC",
	"ooo": "OOO", "uar": "UAR",
}

// Exported returns the exported Go name of a C name: "log_align_req" is LogAlignReq, "RAW_PACKET" is RawPacket. Two numbers stay
// apart, so that "2_5_GBPS" is not 25Gbps.
func Exported(c string) string {
	var b strings.Builder
	last := byte('_')
	for _, w := range strings.Split(strings.ToLower(c), "_") {
		if w == "" {
			continue
		}
		if isDigit(last) && isDigit(w[0]) {
			b.WriteByte('_')
		}
		last = w[len(w)-1]
		if s, ok := initialisms[w]; ok {
			b.WriteString(s)
			continue
		}
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Local returns the Go name of a parameter or local variable: "dm_offset" is dmOffset, "type" is typ.
func Local(c string) string {
	words := strings.Split(strings.ToLower(c), "_")
	name := words[0]
	if len(words) > 1 {
		name += Exported(strings.Join(words[1:], "_"))
	}
	return mended(name)
}

// reserved are names that generated methods give to what is local, or that packages have there.
var reserved = []string{"verb", "err", "errno", "l", "o", "n", "ptr", "in", "out", "release", "caps", "calls", "buf", "pin",
	"held", "known", "rules", "start", "x",
	"bits", "context", "errors", "fmt", "math", "os", "runtime", "strconv", "strings", "syscall", "unsafe", "atomic", "testing",
	"sync", "netip", "time", "dpath", "devmem", "dl",
	"mem", "object", "verr", "fail", "init"}

// Reserved reports whether generated methods use a name themselves, so that no parameter can have it.
func Reserved(name string) bool { return slices.Contains(reserved, name) }

// ParamName returns the Go name of a parameter: that of Local, or one beside it where Go or the generated methods have that name.
func ParamName(c string) string {
	name := Local(c)
	switch {
	case name == "context" || name == "ctx": // a package name in Go, and one of another type
		return "dev"
	case Reserved(name) || types.Universe.Lookup(name) != nil:
		return name + "Value"
	}
	return name
}

// mended is a name, or another one in the place of a keyword of Go.
func mended(name string) string {
	switch {
	case name == "type":
		return "typ"
	case token.IsKeyword(name):
		return name + "Value"
	}
	return name
}

// MemberName returns the Go name of an enumerator: the type's name and what is left without the prefix, and without the word that the type
// ends with.
func MemberName(goType, prefix, c string) string {
	left := strings.TrimPrefix(c, prefix)
	first, rest, more := strings.Cut(left, "_")
	if word := Exported(first); more && len(word) > 1 && strings.HasSuffix(goType, word) {
		left = rest
	}
	return goType + Exported(left)
}

// Joined is a dotted path as one name, in which no word that a part ends with is said again by the next: mw_bind.bind_info is
// mw_bind_info.
func Joined(path string) string {
	var words []string
	for part := range strings.SplitSeq(path, ".") {
		next := strings.Split(part, "_")
		for n := min(len(words), len(next)-1); n > 0; n-- {
			if slices.Equal(words[len(words)-n:], next[:n]) {
				next = next[n:]
				break
			}
		}
		words = append(words, next...)
	}
	return strings.Join(words, "_")
}

// LeafName returns the name of a field in the Go mirror of a C struct: the C name, with dots and keywords mended.
func LeafName(c string) string {
	name := strings.ReplaceAll(c, ".", "_")
	return mended(name)
}

// Unexported makes an unexported name: MRAccess becomes mrAccess, Type typ.
func Unexported(s string) string {
	name, n := []rune(s), 0 // letters before the first small one
	for n < len(name) && !unicode.IsLower(name[n]) {
		n++
	}
	if n > 1 && n < len(name) {
		n--
	}
	return mended(strings.ToLower(string(name[:n])) + string(name[n:]))
}

// Lower is a text with its first letter in lower case, as it stands within a sentence.
func Lower(s string) string {
	if s == "" {
		return ""
	}
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToLower(s[:n]) + s[n:]
}
