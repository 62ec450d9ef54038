/* Threads take tasks in turn, and wait for each other only where one task depends on another. */
#ifndef PYWBMS_TURNS_H
#define PYWBMS_TURNS_H

#include <sched.h>
#include <stddef.h>

/* Take the next task. */
static inline ptrdiff_t take_turn(ptrdiff_t *next) {
    return __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
}

/* Wait until so many tasks of a kind are done. The thread that does them may have been preempted:
 * after a while, yield the processor to it. */
static inline void wait_until_done(const ptrdiff_t *done, ptrdiff_t tasks) {
    for (int looks = 0; __atomic_load_n(done, __ATOMIC_ACQUIRE) < tasks; looks++)
        if (looks > 2000) sched_yield();
}

/* Note that one more is done; all that was written before becomes visible with it. */
static inline void one_more_done(ptrdiff_t *done) {
    __atomic_fetch_add(done, 1, __ATOMIC_RELEASE);
}

#endif
