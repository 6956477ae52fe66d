/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements MPI_Comm_spawn and the other functions that MPICH's patches call for dynamic
 * processes. The root checks the programs and info keys, reserves ports of simulated hosts, and
 * asks the launcher to start the processes. From this reservation on, virtual time waits for the
 * processes. The result therefore does not depend on the real time that starting the processes
 * takes.
 */
#include "gm_impl.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* Length of the buffer that holds the reason for a failure. */
#define ADIGM_WHY_LEN 512
/* Lines of the PMI protocol have at most 1024 bytes; these limits leave room for the other parts
 * of a command. */
#define ADIGM_SPAWN_TEXT 600
/* Largest number of arguments of a program that the launcher accepts. */
#define ADIGM_SPAWN_ARGS 900

int MPIDI_GM_spawn(int count, char *commands[], char **argvs[], const int maxprocs[],
                   MPIR_Info * info_ptrs[], int root, MPIR_Comm * comm_ptr,
                   MPIR_Comm ** intercomm, int errcodes[]);
int MPIDI_GM_universe_size(void);
int MPIDI_GM_join(int fd, const char *local_port, char *remote_port);
void MPIDI_GM_take_turn(void);
int MPIDI_GM_my_host(void);

/* One program in a call of MPI_Comm_spawn_multiple. */
typedef struct adigm_program {
    char *path;                 /* path that the launcher executes in wdir */
    char *wdir;
    char *hosts;                /* names separated by commas, or NULL */
    MPIR_Info *info;            /* the info object for the launcher */
} adigm_program_t;

/* A call of MPI_Comm_spawn_multiple at the root. */
typedef struct adigm_spawn {
    int count;
    char **commands;
    char ***argvs;              /* NULL: none */
    const int *maxprocs;
    MPIR_Info **infos;          /* NULL: none */
    int n_processes;
    adigm_program_t *programs;
    unsigned *node_ids;         /* node id for each process; 0: any host */
    char why[ADIGM_WHY_LEN];    /* reason for the failure; "" as long as the call has not failed */
} adigm_spawn_t;

/* ---- programs and info keys ---- */

static int adigm_refuse(adigm_spawn_t * spawn, const char *format, ...)
    __attribute__ ((format(printf, 2, 3)));

static int adigm_refuse(adigm_spawn_t * spawn, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(spawn->why, sizeof(spawn->why), format, args);
    va_end(args);
    return -1;
}

/* Return the value of an info key, or NULL if there is none. The caller frees the value. */
static char *adigm_info_value(const adigm_spawn_t * spawn, int index, const char *key)
{
    MPIR_Info *info = spawn->infos ? spawn->infos[index] : NULL;
    char value[MPI_MAX_INFO_VAL + 1];
    int flag = 0;
    if (info != NULL)
        MPIR_Info_get_impl(info, key, MPI_MAX_INFO_VAL, value, &flag);
    return flag ? MPL_strdup(value) : NULL;
}

static int adigm_is_program(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

/* Search for a program in a list of directories that are separated by colons. Returns the path of
 * the program, or NULL. */
static char *adigm_search(const char *directories, const char *wdir, const char *command)
{
    char path[2 * PATH_MAX];
    while (directories && *directories) {
        int length = (int) strcspn(directories, ":");
        if (*directories == '/')
            snprintf(path, sizeof(path), "%.*s/%s", length, directories, command);
        else
            snprintf(path, sizeof(path), "%s/%.*s/%s", wdir, length, directories, command);
        if (length > 0 && adigm_is_program(path))
            return MPL_strdup(path);
        directories += length + (directories[length] == ':');
    }
    return NULL;
}

/* Find the program in the same way as a shell whose current directory is the working directory.
 * The directories in the info key "path" are searched first. */
static char *adigm_find_program(const char *command, const char *wdir, const char *path)
{
    char relative[2 * PATH_MAX];
    char *found = adigm_search(path, wdir, command);
    if (found == NULL && strchr(command, '/') == NULL)
        found = adigm_search(getenv("PATH"), wdir, command);
    if (found == NULL && strchr(command, '/') != NULL) {
        snprintf(relative, sizeof(relative), "%s/%s", wdir, command);
        if (adigm_is_program(command[0] == '/' ? command : relative))
            found = MPL_strdup(command);
    }
    return found;
}

/* Return the working directory as an absolute path, or NULL. */
static char *adigm_find_directory(const char *wdir)
{
    char path[PATH_MAX];
    struct stat file;
    if (wdir == NULL)
        return getcwd(path, sizeof(path)) ? MPL_strdup(path) : NULL;
    if (realpath(wdir, path) == NULL || stat(path, &file) != 0 || !S_ISDIR(file.st_mode))
        return NULL;
    return MPL_strdup(path);
}

/* Check whether a string is valid in the launcher's protocol, in which a line break ends a value
 * and "endcmd" ends the command. */
static int adigm_check_text(adigm_spawn_t * spawn, const char *what, const char *text)
{
    size_t length = strlen(text);
    if (length > ADIGM_SPAWN_TEXT)
        return adigm_refuse(spawn, "%s has %zu bytes; allowed: at most %d", what, length,
                            ADIGM_SPAWN_TEXT);
    if (strchr(text, '\n'))
        return adigm_refuse(spawn, "%s contains a line break, which the launcher cannot pass on",
                            what);
    if (length >= 6 && strcmp(text + length - 6, "endcmd") == 0)
        return adigm_refuse(spawn, "%s ends with 'endcmd', which the launcher cannot pass on",
                            what);
    return 0;
}

static int adigm_check_arguments(adigm_spawn_t * spawn, int index)
{
    char **argv = spawn->argvs ? spawn->argvs[index] : NULL;
    for (int i = 0; argv && argv[i]; i++) {
        if (i == ADIGM_SPAWN_ARGS)
            return adigm_refuse(spawn, "'%.100s' has more than %d arguments",
                                spawn->commands[index], ADIGM_SPAWN_ARGS);
        if (adigm_check_text(spawn, "an argument", argv[i]) != 0)
            return -1;
    }
    return 0;
}

static int adigm_check_program(adigm_spawn_t * spawn, int index)
{
    adigm_program_t *program = &spawn->programs[index];
    char *wdir = adigm_info_value(spawn, index, "wdir");
    char *path = adigm_info_value(spawn, index, "path");
    int result = 0;
    program->hosts = adigm_info_value(spawn, index, "host");
    if (program->hosts == NULL)
        program->hosts = adigm_info_value(spawn, index, "hosts");
    program->wdir = adigm_find_directory(wdir);
    if (program->wdir)
        program->path = adigm_find_program(spawn->commands[index], program->wdir, path);
    if (spawn->maxprocs[index] < 1)
        result = adigm_refuse(spawn, "maxprocs is %d for '%.100s'; allowed: at least 1",
                              spawn->maxprocs[index], spawn->commands[index]);
    else if (program->wdir == NULL)
        result = adigm_refuse(spawn, "the info key wdir: '%.200s' is not a directory",
                              wdir ? wdir : ".");
    else if (program->path == NULL)
        result = adigm_refuse(spawn, "'%.200s' is not an executable file; give a path, or set the "
                              "info key path or the environment variable PATH",
                              spawn->commands[index]);
    else if (strlen(program->path) + strlen(program->wdir) > ADIGM_SPAWN_TEXT)
        result = adigm_refuse(spawn, "the path '%.100s' and the path of the working directory "
                              "together have more than %d bytes", program->path, ADIGM_SPAWN_TEXT);
    else if (adigm_check_text(spawn, "the path of a program", program->path) != 0 ||
             adigm_check_text(spawn, "a working directory", program->wdir) != 0 ||
             adigm_check_arguments(spawn, index) != 0)
        result = -1;
    MPL_free(wdir);
    MPL_free(path);
    return result;
}

/* ---- hosts ---- */

/* Return the GM node id of the host at position `index' in a list of names; the position is taken
 * modulo the length of the list. Return GM_NO_SUCH_NODE_ID if there is no such host. */
static unsigned adigm_host_of(const char *hosts, int index, char *name, size_t name_len)
{
    int n_hosts = 1;
    for (const char *c = hosts; *c; c++)
        n_hosts += *c == ',';
    for (index %= n_hosts; index > 0; index--)
        hosts = strchr(hosts, ',') + 1;
    snprintf(name, name_len, "%.*s", (int) strcspn(hosts, ","), hosts);
    return gm_host_name_to_node_id(adigm_net_port(), name);
}

static int adigm_choose_hosts(adigm_spawn_t * spawn)
{
    unsigned *node_id = spawn->node_ids;
    for (int i = 0; i < spawn->count; i++) {
        for (int k = 0; k < spawn->maxprocs[i]; k++, node_id++) {
            char name[GM_MAX_HOST_NAME_LEN] = "";
            *node_id = 0;
            if (spawn->programs[i].hosts == NULL)
                continue;
            *node_id = adigm_host_of(spawn->programs[i].hosts, k, name, sizeof(name));
            if (*node_id == GM_NO_SUCH_NODE_ID)
                return adigm_refuse(spawn, "the info key host: the cluster has no host '%.60s'",
                                    name);
        }
    }
    return 0;
}

/* ---- starting the processes ---- */

/* Create the info objects for the launcher. */
static int adigm_make_infos(adigm_spawn_t * spawn, const char *environment)
{
    for (int i = 0; i < spawn->count; i++) {
        MPIR_Info **info_p = &spawn->programs[i].info;
        if (MPIR_Info_alloc(info_p) != MPI_SUCCESS ||
            MPIR_Info_set_impl(*info_p, "wdir", spawn->programs[i].wdir) != MPI_SUCCESS ||
            MPIR_Info_set_impl(*info_p, "gmsim_spawn", environment) != MPI_SUCCESS)
            return adigm_refuse(spawn, "out of memory");
    }
    return 0;
}

/* Ask the launcher to start the processes. The simulation is already waiting for the processes,
 * so a failure ends the job. */
static void adigm_launch(adigm_spawn_t * spawn, char *port_name)
{
    struct MPIR_PMI_KEYVAL preput = {.key = (char *) MPIDI_PARENT_PORT_KVSKEY,.val = port_name };
    char **paths = MPL_calloc(spawn->count, sizeof(*paths), MPL_MEM_OTHER);
    MPIR_Info **infos = MPL_calloc(spawn->count, sizeof(*infos), MPL_MEM_OTHER);
    int *codes = MPL_calloc(spawn->n_processes, sizeof(*codes), MPL_MEM_OTHER);
    MPIR_Assert(paths && infos && codes);
    for (int i = 0; i < spawn->count; i++) {
        paths[i] = spawn->programs[i].path;
        infos[i] = spawn->programs[i].info;
    }
    if (MPIR_pmi_spawn_multiple(spawn->count, paths, spawn->argvs, spawn->maxprocs, infos, 1,
                                &preput, codes) != MPI_SUCCESS)
        gmsim_fatal("MPI_Comm_spawn: mpiexec could not start the processes");
    MPL_free(paths);
    MPL_free(infos);
    MPL_free(codes);
}

static int adigm_prepare(adigm_spawn_t * spawn)
{
    spawn->programs = MPL_calloc(spawn->count, sizeof(*spawn->programs), MPL_MEM_OTHER);
    MPIR_Assert(spawn->programs);
    if (getenv("PMI_RANK") == NULL)
        return adigm_refuse(spawn, "only mpirun can start other processes, but this process was "
                            "started without mpirun");
    for (int i = 0; i < spawn->count; i++) {
        if (adigm_check_program(spawn, i) != 0)
            return -1;
        spawn->n_processes += spawn->maxprocs[i];
    }
    spawn->node_ids = MPL_calloc(spawn->n_processes, sizeof(*spawn->node_ids), MPL_MEM_OTHER);
    MPIR_Assert(spawn->node_ids);
    return adigm_choose_hosts(spawn);
}

/* Start the processes. If this fails, spawn->why contains the reason. */
static void adigm_spawn_at_root(adigm_spawn_t * spawn, char *port_name)
{
    gmsim_spawned_t spawned;
    if (adigm_prepare(spawn) != 0)
        return;
    if (MPID_Open_port(NULL, port_name) != MPI_SUCCESS) {
        (void) adigm_refuse(spawn, "cannot open a port");
        return;
    }
    if (gmsim_spawn((unsigned) spawn->n_processes, spawn->node_ids, &spawned, spawn->why,
                    sizeof(spawn->why)) != GM_SUCCESS)
        return;
    if (adigm_make_infos(spawn, spawned.environment) != 0)
        gmsim_fatal("MPI_Comm_spawn: %s", spawn->why);
    adigm_launch(spawn, port_name);
}

static void adigm_spawn_free(adigm_spawn_t * spawn)
{
    for (int i = 0; spawn->programs && i < spawn->count; i++) {
        MPL_free(spawn->programs[i].path);
        MPL_free(spawn->programs[i].wdir);
        MPL_free(spawn->programs[i].hosts);
        if (spawn->programs[i].info)
            MPIR_Info_free_impl(spawn->programs[i].info);
    }
    MPL_free(spawn->programs);
    MPL_free(spawn->node_ids);
}

/* Report the same error on all ranks. Either all processes are started, or none of them. */
static int adigm_spawn_error(const char *why, int n_processes, int errcodes[])
{
    for (int i = 0; errcodes != MPI_ERRCODES_IGNORE && i < n_processes; i++)
        errcodes[i] = MPI_ERR_SPAWN;
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                MPI_ERR_SPAWN, "**spawn", "Error in spawn call: %s", why);
}

int MPIDI_GM_spawn(int count, char *commands[], char **argvs[], const int maxprocs[],
                   MPIR_Info * info_ptrs[], int root, MPIR_Comm * comm_ptr,
                   MPIR_Comm ** intercomm, int errcodes[])
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    char port_name[MPI_MAX_PORT_NAME] = "";
    int n_processes = 0;
    adigm_spawn_t spawn = {.count = count,.commands = commands,.argvs = argvs,
        .maxprocs = maxprocs,.infos = info_ptrs
    };

    if (comm_ptr->rank == root) {
        adigm_spawn_at_root(&spawn, port_name);
        for (int i = 0; i < count; i++)
            n_processes += maxprocs[i];
    }
    mpi_errno = MPIR_Bcast(&n_processes, 1, MPI_INT, root, comm_ptr, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Bcast(spawn.why, ADIGM_WHY_LEN, MPI_CHAR, root, comm_ptr, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    if (spawn.why[0] != '\0') {
        mpi_errno = adigm_spawn_error(spawn.why, n_processes, errcodes);
        goto fn_fail;
    }
    for (int i = 0; errcodes != MPI_ERRCODES_IGNORE && i < n_processes; i++)
        errcodes[i] = MPI_SUCCESS;
    mpi_errno = MPID_Comm_accept(port_name, NULL, root, comm_ptr, intercomm);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    if (port_name[0] != '\0')
        (void) MPID_Close_port(port_name);
    adigm_spawn_free(&spawn);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* ---- the other functions that the patches call ---- */

int MPIDI_GM_universe_size(void)
{
    return MPIR_Process.size + (int) gmsim_free_places();
}

/* Requests to mpiexec's name service take a constant time, and are executed in the order of
 * virtual time. */
void MPIDI_GM_take_turn(void)
{
    gmsim_work(adigm_param("mpi_name_ps"));
    gmsim_take_turn();
}

int MPIDI_GM_my_host(void)
{
    return (int) adigm_net_place()->node_id;
}

int MPIDI_GM_join(int fd, const char *local_port, char *remote_port)
{
    int mpi_errno = MPI_SUCCESS;
    char why[ADIGM_WHY_LEN];
    char mine[MPI_MAX_PORT_NAME] = "";
    MPL_strncpy(mine, local_port, sizeof(mine));
    if (gmsim_meet(fd, mine, remote_port, MPI_MAX_PORT_NAME, why, sizeof(why)) != GM_SUCCESS)
        MPIR_ERR_SETANDJUMP1(mpi_errno, MPI_ERR_PORT, "**comm_connect_fail",
                             "MPI_Comm_join: %s", why);
    remote_port[MPI_MAX_PORT_NAME - 1] = '\0';

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
