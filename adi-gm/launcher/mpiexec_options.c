/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks and converts the options of mpiexec. All processes run on this machine.
 * Options that name hosts name simulated hosts: the ranks receive these names in their
 * environment, for the library. */
#include "hydra.h"

#include "../ui/mpich/mpiexec.h" /* also includes hydra_server.h */

static int has_hosts;

static void refuse_unless(int is_valid, const char *option, const char *value,
                          const char *why)
{
    if (is_valid) {
        return;
    }
    fprintf(stderr, "mpiexec: %s%s%s: %s\n", option, value != NULL ? " " : "",
            value != NULL ? value : "", why);
    exit(1);
}

int gml_number_of_ranks(const char *option, const char *text)
{
    char *end = NULL;
    long number = text != NULL ? strtol(text, &end, 10) : 0;

    if (text == NULL || end == text || *end != '\0' || number < 1 ||
        number != (int)number) {
        fprintf(stderr,
                "mpiexec: -%s %s: not a number of ranks; allowed: 1 or more\n",
                option, text != NULL ? text : "(no value)");
        exit(1);
    }
    return (int)number;
}

/* Every part of the command line must name a program. */
static void check_programs(void)
{
    const struct HYD_exec *exec = HYD_uii_mpx_exec_list;

    do {
        if (exec == NULL || exec->exec[0] == NULL) {
            fprintf(stderr, "mpiexec: the command line names no program; for "
                            "example: mpirun -n 4 ./program\n");
            exit(1);
        }
        exec = exec->next;
    } while (exec != NULL);
}

static void check_binding(const struct HYD_user_global *given)
{
    const char *why =
        "the cluster description (GMSIM_CLUSTER) binds the real processes "
        "('binding') and places the ranks ('placement'); allowed: none";

    refuse_unless(given->binding == NULL || strcmp(given->binding, "none") == 0,
                  "-bind-to", given->binding, why);
    refuse_unless(given->mapping == NULL || strcmp(given->mapping, "none") == 0,
                  "-map-by", given->mapping, why);
    refuse_unless(given->membind == NULL || strcmp(given->membind, "none") == 0,
                  "-membind", given->membind, why);
}

#define LOCAL                                                                  \
    "all processes run on this machine, and their hosts are simulated; "

void gml_check_options(void)
{
    struct HYD_user_global *given = &HYD_server_info.user_global;

    check_programs();
    check_binding(given);
    refuse_unless(given->launcher == NULL ||
                      strcmp(given->launcher, "fork") == 0,
                  "-launcher", given->launcher, LOCAL "allowed: fork");
    refuse_unless(given->rmk == NULL || strcmp(given->rmk, "user") == 0, "-rmk",
                  given->rmk, LOCAL "allowed: user");
    refuse_unless(given->launcher_exec == NULL, "-launcher-exec",
                  given->launcher_exec, LOCAL "omit this option");
    refuse_unless(given->skip_launch_node != 1, "-skip-launch-node", NULL,
                  LOCAL "omit this option");
    refuse_unless(given->pmi_port != 1, "-pmi-port", NULL,
                  "no process of a job listens on a port; omit this option");
    refuse_unless(HYD_server_info.nameserver == NULL, "-nameserver",
                  HYD_server_info.nameserver,
                  "published names are known only within a job; omit this "
                  "option");
    /* without these options, ignore launchers and allocations that the environment
     * names */
    if (given->launcher == NULL) {
        given->launcher = MPL_strdup("fork");
    }
    if (given->rmk == NULL) {
        given->rmk = MPL_strdup("user");
    }
    unsetenv("HYDRA_LAUNCHER_AUTOFORK");
    has_hosts = HYD_server_info.node_list != NULL;
}

static HYD_status pass_hosts(size_t length, struct HYD_env **env)
{
    struct HYD_node *node;
    char *hosts;
    size_t used = 0;
    HYD_status status;

    hosts = MPL_malloc(length, MPL_MEM_PM);
    if (hosts == NULL) {
        return HYD_NO_MEM;
    }
    for (node = HYD_server_info.node_list; node != NULL; node = node->next) {
        used += (size_t)snprintf(hosts + used, length - used, "%s%s:%d",
                                 used > 0 ? "," : "", node->hostname,
                                 node->core_count);
    }
    status = HYDU_append_env_to_list("GMSIM_HOSTS", hosts, env);
    MPL_free(hosts);
    return status;
}

HYD_status gml_simulate_hosts(void)
{
    struct HYD_env **env = &HYD_server_info.user_global.global_env.user;
    char localhost[MAX_HOSTNAME_LEN] = {0}, number[32];
    struct HYD_node *node;
    size_t length = 1;
    int slots = 0;
    HYD_status status = HYD_SUCCESS;

    for (node = HYD_server_info.node_list; node != NULL; node = node->next) {
        refuse_unless(node->user == NULL && node->local_binding == NULL, "host",
                      node->hostname,
                      "'user=' and 'binding=' do not apply to simulated hosts");
        length += strlen(node->hostname) + sizeof(number);
        slots += node->core_count;
    }
    if (has_hosts) {
        status = pass_hosts(length, env);
    }
    if (status == HYD_SUCCESS && HYD_ui_mpich_info.ppn != -1) {
        snprintf(number, sizeof(number), "%d", HYD_ui_mpich_info.ppn);
        status = HYDU_append_env_to_list("GMSIM_PPN", number, env);
    }
    if (status == HYD_SUCCESS && gethostname(localhost, MAX_HOSTNAME_LEN) < 0) {
        status = HYD_SOCK_ERROR;
    }
    if (status != HYD_SUCCESS) {
        return status;
    }
    HYDU_free_node_list(HYD_server_info.node_list);
    HYD_server_info.node_list = NULL;
    return HYDU_add_to_node_list(localhost, slots > 0 ? slots : 1,
                                 &HYD_server_info.node_list);
}

static const char *find_value(const char *variable)
{
    const struct HYD_env *env = HYD_server_info.user_global.global_env.user;

    while (env != NULL && strcmp(env->env_name, variable) != 0) {
        env = env->next;
    }
    return env != NULL ? env->env_value : getenv(variable);
}

HYD_status gml_resolve_paths(struct HYD_env **env)
{
    /* not GMSIM_TRACE, because a traced run cannot spawn ranks */
    static const char *const variables[] = {"GMSIM_CLUSTER", "GMSIM_DISPATCH",
                                            "GMSIM_RECORD", "MPIQOS_POLICY",
                                            "MPIQOS_REPORT"};
    /* the first ranks have found the files in this directory */
    const char *directory =
        HYD_uii_mpx_exec_list != NULL ? HYD_uii_mpx_exec_list->wdir : NULL;
    char path[2 * PATH_MAX], here[PATH_MAX];
    HYD_status status = HYD_SUCCESS;
    size_t i;

    if (directory == NULL) {
        directory = getcwd(here, sizeof(here));
    }
    if (directory == NULL) {
        return HYD_INTERNAL_ERROR;
    }
    for (i = 0;
         status == HYD_SUCCESS && i < sizeof(variables) / sizeof(variables[0]);
         ++i) {
        const char *value = find_value(variables[i]);

        /* "-" is the standard output */
        if (value == NULL || value[0] == '\0' || value[0] == '/' ||
            strcmp(value, "-") == 0) {
            continue;
        }
        snprintf(path, sizeof(path), "%s/%s", directory, value);
        status = HYDU_append_env_to_list(variables[i], path, env);
    }
    return status;
}

HYD_status gml_name_job(void)
{
    struct HYD_env **env = &HYD_server_info.user_global.global_env.user;
    const char *given = getenv("GMSIM_JOB");
    struct timespec now;
    char name[64];
    HYD_status status = HYD_SUCCESS;

    /* a rank that starts another job passes the name of its own job */
    if (given == NULL || given[0] == '\0' || getenv("PMI_RANK") != NULL) {
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(name, sizeof(name), "%d-%lld%09ld", (int)getpid(),
                 (long long)now.tv_sec, now.tv_nsec);
        setenv("GMSIM_JOB", name, 1);
        /* set if a spawned rank starts this mpiexec */
        unsetenv("GMSIM_SPAWN");
        status = HYDU_append_env_to_list("GMSIM_JOB", name, env);
    }
    gml_note_job();
    return status;
}
