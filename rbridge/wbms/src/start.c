/* Starts Python in the R process, or finds the one already running, and lets it run code.
 *
 * libpython is opened at run time, so that the package builds without Python's headers and works
 * with whichever Python the user has. The interpreter keeps its lock: all of R's calls come from
 * the thread that started it, and a released lock (PyEval_SaveThread) would have to be taken again
 * for each of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <R.h>
#include <Rinternals.h>
#include <R_ext/Rdynload.h>

/* The part of Python's C API that is used. */
typedef int (*is_initialized_t)(void);
typedef wchar_t *(*decode_locale_t)(const char *, size_t *);
typedef void (*set_program_name_t)(const wchar_t *);
typedef void (*initialize_t)(int);
typedef int (*run_string_t)(const char *);
typedef int (*gil_ensure_t)(void);
typedef void (*gil_release_t)(int);

/* POSIX guarantees that dlsym's result can be cast to a function pointer; ISO C does not. */
static void find(void *library, const char *name, void *function)
{
    *(void **) function = dlsym(library, name);
    if (!*(void **) function)
        error("this libpython has no %s", name);
}

static int python_runs(void)
{
    is_initialized_t is_initialized;
    *(void **) &is_initialized = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    return is_initialized && is_initialized();
}

/* Is a Python running in this process (started by reticulate, or embedding R)? */
static SEXP running(void)
{
    return ScalarLogical(python_runs());
}

static SEXP start(SEXP library_, SEXP program, SEXP code)
{
    decode_locale_t decode_locale;
    set_program_name_t set_program_name;
    initialize_t initialize;
    run_string_t run_string;
    gil_ensure_t gil_ensure;
    gil_release_t gil_release;
    void *library = RTLD_DEFAULT;
    int runs = python_runs();

    if (!runs) {
        /* Python's extension modules look up its symbols globally. */
        library = dlopen(CHAR(STRING_ELT(library_, 0)), RTLD_NOW | RTLD_GLOBAL);
        if (!library)
            error("%s", dlerror());
    }
    find(library, "PyRun_SimpleString", &run_string);
    find(library, "PyGILState_Ensure", &gil_ensure);
    find(library, "PyGILState_Release", &gil_release);
    /* Tells rpy2 that R is running. */
    char session[64];
    snprintf(session, sizeof session, "PID=%d:NAME=\"wbms\"", (int) getpid());
    setenv("R_SESSION_INITIALIZED", session, 1);
    if (!runs) {
        find(library, "Py_DecodeLocale", &decode_locale);
        find(library, "Py_SetProgramName", &set_program_name);
        find(library, "Py_InitializeEx", &initialize);
        /* Python finds its virtual environment from the program's path. The decoded name is never
         * freed, as Python keeps the pointer. */
        set_program_name(decode_locale(CHAR(STRING_ELT(program, 0)), NULL));
        /* Python sets LC_CTYPE from the environment; R may have changed it. */
        char *locale = strdup(setlocale(LC_CTYPE, NULL));
        initialize(0); /* 0: R's signal handlers stay */
        setlocale(LC_CTYPE, locale);
        free(locale);
    }
    int state = gil_ensure();
    int failed = run_string(CHAR(STRING_ELT(code, 0)));
    gil_release(state);
    return ScalarLogical(!failed);
}

/* Does what R does on Ctrl-C. Returns only if R code has suspended interrupts. */
static SEXP interrupt(void)
{
    raise(SIGINT);
    R_CheckUserInterrupt();
    return R_NilValue;
}

/* R code that Python calls may jump: an error, an exiting handler, a restart, an interrupt. Python's
 * frames must not be skipped, so the jump is stopped here, Python unwinds, and the jump goes on from
 * R's side of the call. Until then R's handlers and restarts are those of the caller. */
static SEXP jump = NULL;

struct request {
    SEXP function, argument;
};

static SEXP evaluate(void *request_)
{
    struct request *request = request_;
    SEXP call = PROTECT(lang2(request->function, request->argument));
    SEXP answer = eval(call, R_GlobalEnv);
    UNPROTECT(1);
    return answer;
}

static void stop_here(void *here, Rboolean jumps)
{
    if (jumps)
        longjmp(*(jmp_buf *) here, 1);
}

/* For Python: call an R function with one argument. 1 if its value is TRUE, 0 if it is anything else,
 * -1 if it jumped: then Python must return to R, which calls go_on. */
int wbms_ask(SEXP function, SEXP argument)
{
    struct request request = {function, argument};
    jmp_buf here;
    SEXP token = PROTECT(R_MakeUnwindCont());
    if (setjmp(here)) {
        if (jump)
            R_ReleaseObject(jump);
        R_PreserveObject(token);
        jump = token;
        UNPROTECT(1);
        return -1;
    }
    SEXP answer = R_UnwindProtect(evaluate, &request, stop_here, &here, token);
    int yes = isLogical(answer) && XLENGTH(answer) == 1 && LOGICAL(answer)[0] == TRUE;
    UNPROTECT(1);
    return yes;
}

/* Continue the jump that wbms_ask has stopped. */
static SEXP go_on(void)
{
    SEXP token = jump;
    if (!token)
        return R_NilValue;
    jump = NULL;
    PROTECT(token);
    R_ReleaseObject(token);
    R_ContinueUnwind(token);
    return R_NilValue; /* not reached */
}

/* Handle interrupts, time limits and events of the user interface. */
static SEXP look_around(void)
{
    R_CheckUserInterrupt();
    return R_NilValue;
}

static const R_CallMethodDef calls[] = {
    {"running", (DL_FUNC) &running, 0},
    {"start", (DL_FUNC) &start, 3},
    {"interrupt", (DL_FUNC) &interrupt, 0},
    {"go_on", (DL_FUNC) &go_on, 0},
    {"look_around", (DL_FUNC) &look_around, 0},
    {NULL, NULL, 0}
};

void R_init_wbms(DllInfo *dll)
{
    R_registerRoutines(dll, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
}
