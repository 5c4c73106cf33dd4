//go:build linux && cgo

// What a kernel keeps for an open device file: handles, keys, and the end of it all when the last copy
// of the descriptor is closed.
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"

// The program holds one end of a socket pair, so that it can dup the descriptor and import it, and the
// kernel side sees a hang-up when the last copy is closed.
struct svb_file *svb_file_open(struct svb_dev *d, int *cmd_fd)
{
	struct svb_file *f = calloc(1, sizeof *f);
	struct stat st;
	int sv[2], err = f ? 0 : ENOMEM;

	if (!err && (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) || fstat(sv[0], &st)))
		err = errno; // fstat does not fail for a socket that is open
	if (err) {
		free(f);
		return svb_null(err);
	}
	f->dev = d;
	f->st_dev = st.st_dev;
	f->st_ino = st.st_ino;
	f->peer_fd = sv[1];
	f->next = d->inst->files;
	d->inst->files = f;
	*cmd_fd = sv[0];
	return f;
}

struct svb_file *svb_file_of(struct svb_inst *in, int cmd_fd)
{
	struct svb_file *f;
	struct stat st;

	if (fstat(cmd_fd, &st))
		return NULL;
	for (f = in->files; f; f = f->next)
		if (f->st_dev == st.st_dev && f->st_ino == st.st_ino)
			return f;
	return NULL;
}

static void file_end(struct svb_file *f)
{
	static const char *const what[] = {"PD", "MR", "DM"};
	static const enum svb_ktype order[] = {SVB_K_MR, SVB_K_DM, SVB_K_PD};
	char line[192];
	uint32_t h;
	int i;

	for (i = 0; i < 3; i++)
		for (h = 0; h < f->nobjs; h++) {
			struct svb_kobj *k = f->objs[h];
			if (!k || k->type != order[i])
				continue;
			snprintf(line, sizeof line, "%s: %s (handle %u): never destroyed, freed with the device file",
				 f->dev->pub.name, what[k->type], h);
			if (!f->dev->gone)
				svb_leak(f->dev->inst, line);
			if (k->type == SVB_K_MR)
				svb_kmr_end(f, (struct svb_kmr *)(void *)k);
			else if (k->type == SVB_K_DM)
				svb_kdm_end(f, (struct svb_kdm *)(void *)k);
			else
				svb_handle_end(f, k);
		}
	close(f->peer_fd);
	free(f->objs);
	svb_numbers_free(&f->handles);
	free(f);
}

static bool hung_up(const struct svb_file *f)
{
	struct pollfd p = {.fd = f->peer_fd, .events = POLLIN};
	return poll(&p, 1, 0) == 1 && (p.revents & POLLHUP);
}

void svb_file_sweep(struct svb_inst *in)
{
	struct svb_file **p = &in->files, *f;

	while ((f = *p)) {
		if (f->ctxs || !hung_up(f)) {
			p = &f->next;
			continue;
		}
		*p = f->next;
		file_end(f);
		p = &in->files; // file_end may have let go of the lock
	}
}

int svb_handle_add(struct svb_file *f, struct svb_kobj *k, enum svb_ktype t)
{
	struct svb_kobj **grown;
	uint32_t h;
	int err = svb_number_take(&f->handles, &h);

	if (err)
		return err;
	if (h >= f->nobjs) {
		uint32_t n = f->nobjs ? f->nobjs * 2 : 16;
		grown = realloc(f->objs, n * sizeof(struct svb_kobj *));
		if (!grown) {
			svb_number_give(&f->handles, h);
			return ENOMEM;
		}
		f->objs = grown;
		for (; f->nobjs < n; f->nobjs++)
			f->objs[f->nobjs] = NULL;
	}
	k->type = t;
	k->handle = h;
	f->objs[h] = k;
	return 0;
}

void *svb_handle_get(struct svb_file *f, uint32_t handle, enum svb_ktype t)
{
	if (handle >= f->nobjs || !f->objs[handle] || f->objs[handle]->type != t)
		return NULL;
	return f->objs[handle];
}

void svb_handle_drop(struct svb_file *f, uint32_t handle)
{
	f->objs[handle] = NULL;
	svb_number_give(&f->handles, handle);
}

void svb_handle_end(struct svb_file *f, struct svb_kobj *k)
{
	svb_handle_drop(f, k->handle);
	free(k);
}

void svb_kdm_end(struct svb_file *f, struct svb_kdm *dm)
{
	f->dev->dm_used -= svb_dm_units(f->dev, dm->mem->length);
	svb_mem_put(dm->mem);
	svb_handle_end(f, &dm->k);
}

#define REMOTE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

// A key is index << 8 | tag. The tag moves on each time an index is given out, so a stale key is not a
// key again before 128 more regions sat at that index. lkey has an even tag and rkey the odd one after
// it: taking one for the other is an error.
int svb_key_add(struct svb_dev *d, struct svb_kmr *mr)
{
	struct svb_key *grown;
	uint32_t i;
	int err = svb_number_take(&d->numbers, &i);

	if (err)
		return err;
	i++; // no region gets index 0
	if (i >= d->nkeys) {
		uint32_t n = d->nkeys ? d->nkeys * 2 : 64;
		grown = n < 1u << 24 ? realloc(d->keys, n * sizeof *grown) : NULL;
		if (!grown) {
			svb_number_give(&d->numbers, i - 1);
			return ENOMEM;
		}
		d->keys = grown;
		for (; d->nkeys < n; d->nkeys++)
			d->keys[d->nkeys] = (struct svb_key){.mr = NULL, .tag = (uint8_t)(d->nkeys * 38)};
	}
	d->keys[i].mr = mr;
	d->keys[i].tag += 2;
	mr->dev = d;
	mr->lkey = i << 8 | d->keys[i].tag;
	mr->rkey = mr->lkey + 1;
	if (d->cfg.one_key)
		mr->rkey = d->cfg.mlx5 || mr->access & REMOTE ? mr->lkey : 0;
	return 0;
}

void svb_key_drop(struct svb_kmr *mr)
{
	uint32_t i = mr->lkey >> 8;

	if (mr->dev->keys[i].mr != mr)
		return; // dropped before; the index may have a new owner
	mr->dev->keys[i].mr = NULL;
	svb_number_give(&mr->dev->numbers, i - 1);
}

struct svb_kmr *svb_key_find(const struct svb_dev *d, uint32_t key, bool remote)
{
	uint32_t i = key >> 8;
	struct svb_kmr *mr = i < d->nkeys ? d->keys[i].mr : NULL;

	return mr && key == (remote ? mr->rkey : mr->lkey) ? mr : NULL;
}

void svb_kmr_wait(struct svb_kmr *mr)
{
	svb_key_drop(mr); // no new operation finds it
	while (mr->busy)
		pthread_cond_wait(&svb_idle, &svb_lock);
}

void svb_kmr_end(struct svb_file *f, struct svb_kmr *mr)
{
	svb_handle_drop(f, mr->k.handle);
	svb_kmr_wait(mr);
	if (mr->span.where == SVB_MAPPED)
		munmap(mr->span.map, mr->span.mapped);
	if (mr->span.where == SVB_HOST)
		mr->dev->pinned -= mr->span.length;
	mr->pd->users--;
	if (mr->dm)
		mr->dm->mrs--;
	free(mr);
}
