// Addresses of sockets, held by value in structs of other headers.
#ifndef VG_SYS_SOCKET_H
#define VG_SYS_SOCKET_H

typedef unsigned int socklen_t;
typedef unsigned short sa_family_t;

struct sockaddr {
	unsigned short sa_family;
	char sa_data[14];
};

struct sockaddr_storage {
	unsigned short ss_family;
	char ss_pad[118];
	unsigned long ss_align;
};

#endif
