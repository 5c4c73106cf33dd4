// The thread of each device that executes work requests. With svb_lock held.
#ifndef SVB_WORKER_H
#define SVB_WORKER_H

#include "instance.h"

SVB_HIDDEN int svb_worker_start(struct svb_dev *d); // 0 also when it runs already
SVB_HIDDEN void svb_worker_stop(struct svb_dev *d); // lets go of the lock

#endif
