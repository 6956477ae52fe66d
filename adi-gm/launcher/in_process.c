/* SPDX-License-Identifier: BSD-3-Clause */
/* Implements the option -in-process: replaces mpiexec by the program gmqos-ranks, which
 * runs all ranks in one process (gmsim/inprocess). No proxy is started. */
#include "hydra.h"

#include "../ui/include/ui.h"
#include "../ui/mpich/mpiexec.h" /* also includes hydra_server.h */

#define PROGRAM "gmqos-ranks"

/* The arguments of mpiexec and its environment are limited in the same way. */
#define MOST_WORDS (2 * HYD_NUM_TMP_STRINGS)

static int is_wanted;
static char *words[MOST_WORDS]; /* command line of the other program */
static int count;

void gml_want_in_process(void)
{
    is_wanted = 1;
}

static void refuse(const char *option, const char *why)
{
    fprintf(stderr, "mpiexec: -in-process: %s%s\n", option, why);
    exit(1);
}

/* Refuse options whose effect needs a process for each rank. */
static void check(const struct HYD_exec *exec)
{
    const char *inherited = HYD_server_info.user_global.global_env.prop;

    if (exec->next != NULL) {
        refuse("all ranks run the same program", "; allowed: one program");
    }
    if (HYD_ui_info.prepend_pattern != NULL || HYD_ui_info.output_from != -1) {
        refuse("-prepend-rank, -prepend-pattern and -output-from",
               " need a process for each rank; omit one of the options");
    }
    if (HYD_ui_info.outfile_pattern != NULL ||
        HYD_ui_info.errfile_pattern != NULL) {
        refuse("-outfile-pattern and -errfile-pattern",
               " need a process for each rank; redirect the output of mpirun");
    }
    if ((inherited != NULL && strcmp(inherited, "all") != 0) ||
        (exec->env_prop != NULL && strcmp(exec->env_prop, "all") != 0)) {
        refuse("options that restrict the environment",
               " (-genvnone, -genvlist, -envnone, -envlist) have no effect; "
               "use env -u or env -i");
    }
}

/* Return 1 if mpiexec itself sets the variable. */
static int is_own(const char *name)
{
    return strcmp(name, "GMSIM_JOB") == 0 || strcmp(name, "GMSIM_HOSTS") == 0 ||
           strcmp(name, "GMSIM_PPN") == 0;
}

static void pass_word(const char *word)
{
    if (count + 1 == MOST_WORDS) {
        refuse("too many environment variables and arguments", "");
    }
    words[count++] = MPL_strdup(word);
}

/* Append the variables that the user sets as options: they are part of the command in
 * records. */
static void pass_variables(const char *option, const struct HYD_env *env)
{
    for (; env != NULL; env = env->next) {
        if (!is_own(env->env_name)) {
            pass_word(option);
            pass_word(env->env_name);
            pass_word(env->env_value != NULL ? env->env_value : "");
        }
    }
}

static void set_variables(const struct HYD_env *env)
{
    for (; env != NULL; env = env->next) {
        setenv(env->env_name, env->env_value != NULL ? env->env_value : "", 1);
    }
}

void gml_run_in_process(void)
{
    const struct HYD_exec *exec = HYD_uii_mpx_exec_list;
    char directory[PATH_MAX], path[PATH_MAX + sizeof(PROGRAM)], number[16];
    sigset_t none;

    if (!is_wanted) {
        return;
    }
    check(exec);
    if (gml_find_directory(directory) != 0) {
        refuse("the installation is incomplete: no directory lib/gmqos", "");
    }
    snprintf(path, sizeof(path), "%s/" PROGRAM, directory);
    if (access(path, X_OK) != 0) {
        refuse("this installation cannot run all ranks in one process: ", path);
    }
    snprintf(number, sizeof(number), "%d", exec->proc_count);
    pass_word(path);
    pass_word(number);
    pass_variables("-genv", HYD_server_info.user_global.global_env.user);
    pass_variables("-env", exec->user_env);
    for (int i = 0; exec->exec[i] != NULL; ++i) {
        pass_word(exec->exec[i]);
    }
    set_variables(HYD_server_info.user_global.global_env.system);
    set_variables(HYD_server_info.user_global.global_env.user);
    set_variables(exec->user_env);
    if (exec->wdir != NULL && chdir(exec->wdir) != 0) {
        fprintf(stderr, "mpiexec: -wdir %s: %s\n", exec->wdir,
                strerror(errno));
        exit(1);
    }
    gml_preload_clock(1);
    gml_default_end_signals();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(path, words);
    fprintf(stderr, "mpiexec: cannot execute %s: %s\n", path, strerror(errno));
    exit(1);
}
