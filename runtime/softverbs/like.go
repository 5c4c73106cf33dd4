package softverbs

// capRXE61 are the bits of device_cap_flags that soft-RoCE has in Linux 6.1, but for memory windows (17, 24) and registration by
// work requests (21), which this device has not.
const capRXE61 = 1<<1 | 1<<2 | 1<<4 | 1<<5 | 1<<6 | 1<<10 | 1<<11 | capRNRNakGen | capSRQResize

// LikeRXE61 makes a device with the abilities, errors and limits of soft-RoCE in Linux 6.1. Options after it change
// this. Together with Release("44.0") it imitates the library with which the answers of soft-RoCE were recorded.
func LikeRXE61() Option {
	return func(s *settings) error {
		for _, o := range []Option{MaxDMSize(0), WithoutThreadDomains(), WithoutNullMR(), WithoutDMABuf(), WithoutRereg(), WithoutImport(),
			WithoutOp("advise_mr"), ODP(0, 0, 0, 0), MRUnsupported(0), MRUnknown(accessOnDemand | accessFlushGlobal | accessFlushPersistent),
			CapFlags(capRXE61), MaxMRSize(1<<64 - 1), MaxMsgSize(8 << 20), OneKey()} {
			if err := o(s); err != nil {
				return err
			}
		}
		return nil
	}
}
