// One of each construct that a verbs header has, and some that it might get.
#include <linux/types.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum t_rate { T_RATE_MAX = 0, T_RATE_2 = 2, T_RATE_3 = 3 };
enum t_mode { T_MODE_NONE = -1, T_MODE_A = 1 };
enum t_flags { T_F_A = 1, T_F_B = 4, T_F_TOP = 1U << 31 };
__extension__ enum t_wide { T_WIDE = 1LL << 40 };

struct t_context;
struct t_device;
struct t_private;

struct t_dm {
	struct t_context *context;
	int (*memcpy_to_dm)(struct t_dm *dm, uint64_t dm_offset, const void *host_addr, size_t length);
	void *(*alloc)(size_t size);
	uint32_t handle;
};

union t_gid {
	uint8_t raw[16];
	struct {
		__be64 subnet_prefix;
		__be64 interface_id;
	} global;
};

struct t_attr {
	union t_gid gid;
	union {
		__be32 imm;
		struct {
			__u32 lo;
			__u32 hi;
		};
		__aligned_u64 whole;
	};
	union {
		struct {
			uint64_t addr;
			uint32_t rkey;
		} rdma;
		uint32_t ud;
	} wr;
	enum t_rate rate;
	struct t_attr *next;
	int (*ops[2])(void);
	struct timespec raw_clock;
	unsigned int a : 3;
	unsigned int b : 5;
	uint8_t tail[];
};

struct t_ops {
	int (*read)(struct t_dm *, enum t_mode);
	void *(*old)(void);
};

struct t_context {
	struct t_ops ops;
	struct t_device *device;
	pthread_mutex_t mutex;
	struct t_private *hidden;
};

struct t_wire {
	uint8_t op;
	__be64 addr;
} __attribute__((packed));

struct t_list {
	struct {
		uint32_t key;
		enum t_flags value;
	} pairs[2];
	union {
		struct t_wire *at;
		union t_gid gid;
	} *head;
	enum { T_PAGE = 4096 } page;
	struct t_list *up;
};

struct t_line {
	__s32 n;
} __attribute__((aligned(64)));

#define T_CAP (1ULL << 34)
#define T_LEN 6
#define T_ALL (~0ULL)
#define T_LOW (-2)
#define T_DEFAULT ((void *)-1)
#define t_speed t_rate
#define T_SPEED_2 T_RATE_2
#define t_id t_gid
