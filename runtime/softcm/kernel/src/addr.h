// Addresses of sockets, and the ports of devices that have them.
#ifndef SCM_ADDR_H
#define SCM_ADDR_H

#include "machine.h"

// addr.c
SCM_HIDDEN socklen_t scm_addr_len(const struct sockaddr *a); // 0: of no family known here
SCM_HIDDEN bool scm_zero(const struct sockaddr_storage *a);
SCM_HIDDEN bool scm_any(const struct sockaddr_storage *a); // zero, or a loopback address, as the kernel's cma_any_addr has it
SCM_HIDDEN bool scm_link_local(const struct sockaddr_storage *a);
SCM_HIDDEN bool scm_multicast(const struct sockaddr_storage *a);
SCM_HIDDEN bool scm_same_ip(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
SCM_HIDDEN uint16_t scm_port_of(const struct sockaddr_storage *a);
SCM_HIDDEN void scm_set_port(struct sockaddr_storage *a, uint16_t port);
SCM_HIDDEN void scm_copy_ip(struct sockaddr_storage *to, const struct sockaddr_storage *from); // the port stays
SCM_HIDDEN void scm_gid_of(const struct sockaddr_storage *a, union ibv_gid *g);
SCM_HIDDEN void scm_ip_of(const union ibv_gid *g, sa_family_t family, struct sockaddr_storage *a); // the port stays

// with scm_lock held
SCM_HIDDEN struct scm_dev *scm_dev_at(struct scm_machine *m, const struct sockaddr_storage *a, const struct scm_gid **g); // NULL: nobody
SCM_HIDDEN bool scm_on_network(const struct scm_machine *m, const struct sockaddr_storage *a); // whether there is a route to it
SCM_HIDDEN bool scm_is_silent(struct scm_machine *m, const struct sockaddr_storage *a);

#endif
