#include "thread_pool.h"

#ifdef PYWBMS_NO_THREADS

void pool_run(pool_task task, void *context, ptrdiff_t first, ptrdiff_t last, ptrdiff_t threads) {
    (void)threads;
    for (ptrdiff_t i = first; i < last; i++) task(context, i, 0);
}

/* A single thread does its steps in order: there is never anything to wait for. */
void pool_wait_until(const ptrdiff_t *done, ptrdiff_t steps) { (void)done, (void)steps; }
void pool_one_more(ptrdiff_t *done) { ++*done; }
void pool_state(ptrdiff_t *threads, ptrdiff_t *asleep) { *threads = *asleep = 0; }

#else

#include <pthread.h>
#include <signal.h>

/* Looks at what is waited for before going to sleep: about as long as it takes to wake up. */
enum { LOOKS = 400 };
/* Chunks of tasks per thread: so many that no thread waits long for the last one. */
enum { CHUNKS = 8 };
enum { MOST_THREADS = 1024, STACK_SIZE = 1 << 21 };

/* Tasks of one caller. It lives on the caller's stack. */
typedef struct job {
    pool_task task;
    void *context;
    ptrdiff_t next, last, chunk; /* tasks that are still to be taken */
    ptrdiff_t wanted;            /* threads that may still join */
    ptrdiff_t joined;            /* threads that have joined, the caller included */
    ptrdiff_t inside;            /* threads, other than the caller, that are at work */
    struct job *other;           /* the next job in the list */
} job;

static struct {
    pthread_mutex_t lock;     /* of everything below */
    pthread_cond_t posted;    /* there is a new job */
    pthread_cond_t finished;  /* a thread has left a job */
    pthread_cond_t progress;  /* a step is done for which somebody waits */
    job *jobs;
    ptrdiff_t n_posted;       /* jobs so far */
    ptrdiff_t threads, busy, asleep;
    ptrdiff_t waiting;        /* threads that sleep until there is progress */
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .posted = PTHREAD_COND_INITIALIZER,
    .finished = PTHREAD_COND_INITIALIZER,
    .progress = PTHREAD_COND_INITIALIZER,
};

static inline ptrdiff_t look(const ptrdiff_t *value) {
    return __atomic_load_n(value, __ATOMIC_SEQ_CST);
}

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

static void do_tasks(job *j, ptrdiff_t thread) {
    for (;;) {
        ptrdiff_t start = __atomic_fetch_add(&j->next, j->chunk, __ATOMIC_RELAXED);
        if (start >= j->last) return;
        ptrdiff_t stop = start + j->chunk < j->last ? start + j->chunk : j->last;
        for (ptrdiff_t i = start; i < stop; i++) j->task(j->context, i, thread);
    }
}

static job *open_job(void) {
    job *j = pool.jobs;
    while (j && !j->wanted) j = j->other;
    return j;
}

/* Look for a new job a while, then sleep until there is one. The lock is held. */
static void wait_for_job(void) {
    ptrdiff_t seen = pool.n_posted;
    pthread_mutex_unlock(&pool.lock);
    for (int looks = 0; looks < LOOKS && look(&pool.n_posted) == seen; looks++) pause_briefly();
    pthread_mutex_lock(&pool.lock);
    pool.asleep++;
    while (pool.n_posted == seen) pthread_cond_wait(&pool.posted, &pool.lock);
    pool.asleep--;
}

static void *worker(void *unused) {
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        job *mine = open_job();
        if (!mine) {
            wait_for_job();
            continue;
        }
        ptrdiff_t thread = mine->joined++;
        mine->wanted--;
        mine->inside++;
        pool.busy++;
        pthread_mutex_unlock(&pool.lock);
        do_tasks(mine, thread);
        pthread_mutex_lock(&pool.lock);
        pool.busy--;
        /* From here on the caller may return, and the job be gone. */
        __atomic_sub_fetch(&mine->inside, 1, __ATOMIC_SEQ_CST);
        pthread_cond_broadcast(&pool.finished);
    }
    return NULL;
}

/* A fork copies only the thread that forks: the child begins with an empty pool. */
static void before_fork(void) { pthread_mutex_lock(&pool.lock); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&pool.lock); }
static void after_fork_in_child(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.posted, NULL);
    pthread_cond_init(&pool.finished, NULL);
    pthread_cond_init(&pool.progress, NULL);
    pool.jobs = NULL;
    pool.threads = pool.busy = pool.asleep = pool.waiting = 0;
}

static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Have so many threads at hand, if the system lets us. The lock is held. */
static void hire(ptrdiff_t wanted) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    if (pool.threads - pool.busy >= wanted) return;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    sigfillset(&all); /* signals are for the threads of the program */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.threads - pool.busy < wanted && pool.threads < MOST_THREADS) {
        if (pthread_create(&thread, &attributes, worker, NULL)) break;
        pool.threads++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static void post(job *j) {
    pthread_mutex_lock(&pool.lock);
    hire(j->wanted);
    j->other = pool.jobs;
    pool.jobs = j;
    __atomic_add_fetch(&pool.n_posted, 1, __ATOMIC_SEQ_CST);
    for (ptrdiff_t i = 0; i < j->wanted; i++) pthread_cond_signal(&pool.posted);
    pthread_mutex_unlock(&pool.lock);
}

/* Let no further thread join a job, and wait for those that have. */
static void finish(job *j) {
    job **link = &pool.jobs;
    pthread_mutex_lock(&pool.lock);
    while (*link != j) link = &(*link)->other;
    *link = j->other;
    pthread_mutex_unlock(&pool.lock);
    for (int looks = 0; looks < LOOKS && look(&j->inside); looks++) pause_briefly();
    pthread_mutex_lock(&pool.lock);
    while (j->inside) pthread_cond_wait(&pool.finished, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

void pool_run(pool_task task, void *context, ptrdiff_t first, ptrdiff_t last, ptrdiff_t threads) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    ptrdiff_t tasks = last - first;
    if (threads > tasks) threads = tasks;
    if (threads <= 1) {
        for (ptrdiff_t i = first; i < last; i++) task(context, i, 0);
        return;
    }
    ptrdiff_t chunk = tasks / (CHUNKS * threads);
    job j = {
        .task = task, .context = context, .next = first, .last = last,
        .chunk = chunk > 1 ? chunk : 1, .wanted = threads - 1, .joined = 1,
    };
    pthread_once(&once, watch_forks);
    post(&j);
    do_tasks(&j, 0);
    finish(&j);
}

void pool_wait_until(const ptrdiff_t *done, ptrdiff_t steps) {
    for (int looks = 0; looks < LOOKS; looks++) {
        if (look(done) >= steps) return;
        pause_briefly();
    }
    pthread_mutex_lock(&pool.lock);
    __atomic_add_fetch(&pool.waiting, 1, __ATOMIC_SEQ_CST);
    while (look(done) < steps) pthread_cond_wait(&pool.progress, &pool.lock);
    __atomic_sub_fetch(&pool.waiting, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&pool.lock);
}

void pool_one_more(ptrdiff_t *done) {
    /* In one order for all threads: whoever begins to wait sees the step, or is seen waiting. */
    __atomic_add_fetch(done, 1, __ATOMIC_SEQ_CST);
    if (look(&pool.waiting)) {
        pthread_mutex_lock(&pool.lock);
        pthread_cond_broadcast(&pool.progress);
        pthread_mutex_unlock(&pool.lock);
    }
}

void pool_state(ptrdiff_t *threads, ptrdiff_t *asleep) {
    pthread_mutex_lock(&pool.lock);
    *threads = pool.threads;
    *asleep = pool.asleep;
    pthread_mutex_unlock(&pool.lock);
}

#endif
