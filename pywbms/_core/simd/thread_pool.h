/* Threads that share out tasks, and sleep while they have none.
 *
 * OpenMP's threads spin for milliseconds while they wait. On a busy machine that takes the processor
 * from the very thread that is waited for, and a fit with two threads takes ten times as long as with
 * one. These look for a few microseconds, as on an idle machine the next tasks come soon, and then
 * sleep. The caller does tasks, too, and never waits for a thread that has not woken up yet. */
#ifndef PYWBMS_THREAD_POOL_H
#define PYWBMS_THREAD_POOL_H

#include <stddef.h>

typedef void (*pool_task)(void *context, ptrdiff_t task, ptrdiff_t thread);

/* Do the tasks first … last − 1, in any order, with at most so many threads, which are numbered from
 * 0, the caller. Any number of callers may do so at a time. */
void pool_run(pool_task task, void *context, ptrdiff_t first, ptrdiff_t last, ptrdiff_t threads);

/* Wait, in a task, until so many steps of something are done. */
void pool_wait_until(const ptrdiff_t *done, ptrdiff_t steps);

/* Note that one more step is done; all that was written before becomes visible with it. */
void pool_one_more(ptrdiff_t *done);

/* How many threads there are beside the callers, and how many of them are asleep. */
void pool_state(ptrdiff_t *threads, ptrdiff_t *asleep);

#endif
