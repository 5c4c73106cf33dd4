// Addresses of sockets, and the ports of devices that have them: each GID of a port is an address, an IPv4-mapped one of IPv4.
#include "addr.h"

#define IN4(a) ((const struct sockaddr_in *)(const void *)(a))
#define IN6(a) ((const struct sockaddr_in6 *)(const void *)(a))

socklen_t scm_addr_len(const struct sockaddr *a)
{
	if (!a)
		return 0;
	return a->sa_family == AF_INET ? sizeof(struct sockaddr_in) : a->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : 0;
}

bool scm_zero(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return IN4(a)->sin_addr.s_addr == 0;
	return a->ss_family != AF_INET6 || IN6_IS_ADDR_UNSPECIFIED(&IN6(a)->sin6_addr);
}

bool scm_any(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return scm_zero(a) || (ntohl(IN4(a)->sin_addr.s_addr) >> 24) == 127;
	return scm_zero(a) || IN6_IS_ADDR_LOOPBACK(&IN6(a)->sin6_addr);
}

bool scm_link_local(const struct sockaddr_storage *a)
{
	return a->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&IN6(a)->sin6_addr);
}

bool scm_multicast(const struct sockaddr_storage *a)
{
	return a->ss_family == AF_INET ? IN_MULTICAST(ntohl(IN4(a)->sin_addr.s_addr)) : IN6_IS_ADDR_MULTICAST(&IN6(a)->sin6_addr);
}

bool scm_same_ip(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return IN4(a)->sin_addr.s_addr == IN4(b)->sin_addr.s_addr;
	return !memcmp(&IN6(a)->sin6_addr, &IN6(b)->sin6_addr, sizeof(struct in6_addr));
}

// The port is at the same place in the addresses of both families.
uint16_t scm_port_of(const struct sockaddr_storage *a)
{
	return ntohs(IN4(a)->sin_port);
}

void scm_set_port(struct sockaddr_storage *a, uint16_t port)
{
	((struct sockaddr_in *)(void *)a)->sin_port = htons(port);
}

void scm_copy_ip(struct sockaddr_storage *to, const struct sockaddr_storage *from)
{
	const uint16_t port = scm_port_of(to);

	*to = *from;
	scm_set_port(to, port);
}

void scm_gid_of(const struct sockaddr_storage *a, union ibv_gid *g)
{
	memset(g, 0, sizeof *g);
	if (a->ss_family == AF_INET6) {
		memcpy(g->raw, &IN6(a)->sin6_addr, sizeof g->raw);
		return;
	}
	g->raw[10] = g->raw[11] = 0xff;
	memcpy(g->raw + 12, &IN4(a)->sin_addr, 4);
}

void scm_ip_of(const union ibv_gid *g, sa_family_t family, struct sockaddr_storage *a)
{
	const uint16_t port = scm_port_of(a);

	memset(a, 0, sizeof *a);
	a->ss_family = family;
	if (family == AF_INET) {
		memcpy(&((struct sockaddr_in *)(void *)a)->sin_addr, g->raw + 12, 4);
	} else {
		memcpy(&((struct sockaddr_in6 *)(void *)a)->sin6_addr, g->raw, sizeof g->raw);
		((struct sockaddr_in6 *)(void *)a)->sin6_scope_id = 1;
	}
	scm_set_port(a, port);
}

struct scm_dev *scm_dev_at(struct scm_machine *m, const struct sockaddr_storage *a, const struct scm_gid **g)
{
	union ibv_gid want;
	size_t i, x;

	scm_gid_of(a, &want);
	for (i = 0; i < m->ndevs; i++)
		for (x = 0; !m->devs[i]->gone && x < m->devs[i]->ngids; x++)
			if (!memcmp(&m->devs[i]->gids[x].gid, &want, sizeof want)) {
				*g = &m->devs[i]->gids[x];
				return m->devs[i];
			}
	return NULL;
}

// Link-local addresses have a route with an interface alone.
bool scm_on_network(const struct scm_machine *m, const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return (ntohl(IN4(a)->sin_addr.s_addr) & m->cfg.mask) == m->cfg.network;
	return scm_link_local(a);
}

bool scm_is_silent(struct scm_machine *m, const struct sockaddr_storage *a)
{
	size_t i;

	for (i = 0; i < m->nsilent; i++)
		if (scm_same_ip(&m->silent[i], a))
			return true;
	return false;
}
