/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the control variables. A variable GM_<parameter> is a parameter of the cluster. A
 * program can write these variables before MPI_Init, in which the process joins the cluster. All
 * ranks must write the same values.
 */
#include "gm_mpit.h"

#include <stdio.h>

#define ADIGM_CVAR_PREFIX "GM_"

/* The variables are created only once per process, because MPICH keeps the addresses of values
 * and names. */
static struct {
    int n;
    gmsim_param_t *rows;
    char (*names)[64];
    unsigned long long *values;
    int *choices;               /* for parameters whose values are names: indices of the values */
} cvars;

static int adigm_cvar_make(void)
{
    gmsim_param_t row;
    int n = 0;
    if (cvars.n > 0)
        return 1;
    while (gmsim_get_param_info((unsigned) n, &row) == GM_SUCCESS)
        n++;
    cvars.rows = MPL_calloc((size_t) n, sizeof(*cvars.rows), MPL_MEM_MPIT);
    cvars.names = MPL_calloc((size_t) n, sizeof(*cvars.names), MPL_MEM_MPIT);
    cvars.values = MPL_calloc((size_t) n, sizeof(*cvars.values), MPL_MEM_MPIT);
    cvars.choices = MPL_calloc((size_t) n, sizeof(*cvars.choices), MPL_MEM_MPIT);
    if (!cvars.rows || !cvars.names || !cvars.values || !cvars.choices)
        return 0;
    for (int i = 0; i < n; i++) {
        (void) gmsim_get_param_info((unsigned) i, &cvars.rows[i]);
        snprintf(cvars.names[i], sizeof(cvars.names[i]), ADIGM_CVAR_PREFIX "%s",
                 cvars.rows[i].name);
    }
    cvars.n = n;
    return 1;
}

static void adigm_cvar_read(void)
{
    for (int i = 0; i < cvars.n; i++) {
        uint64_t value = 0;
        /* the cluster description is invalid; MPI_Init reports the errors in it */
        if (gmsim_get_param(cvars.rows[i].name, &value) != GM_SUCCESS)
            return;
        cvars.values[i] = value;
        cvars.choices[i] = (int) value;
    }
}

static int adigm_has_joined(void)
{
    gmsim_place_t place;
    return gmsim_get_my_place(&place) == GM_SUCCESS;
}

/* Return the index of the control variable at this address, or -1. */
static int adigm_cvar_find(const void *addr)
{
    for (int i = 0; i < cvars.n; i++) {
        if (addr == &cvars.values[i] || addr == &cvars.choices[i])
            return i;
    }
    return -1;
}

static int adigm_cvar_write(void *addr, const void *value)
{
    int i = adigm_cvar_find(addr);
    if (i < 0)
        return MPI_SUCCESS;
    uint64_t new_value = cvars.rows[i].choices ? (uint64_t) * (const int *) value :
        *(const unsigned long long *) value;
    switch (gmsim_set_param(cvars.rows[i].name, new_value)) {
        case GM_SUCCESS:
            return MPI_SUCCESS;
        case GM_BUSY:
            return MPI_T_ERR_CVAR_SET_NOT_NOW;
        default:
            return MPI_T_ERR_INVALID;
    }
}

static MPI_T_enum adigm_cvar_enum(const gmsim_param_t * row)
{
    MPI_T_enum handle;
    MPIR_T_enum_create(row->name, &handle);
    for (int value = 0; row->choices[value]; value++)
        MPIR_T_enum_add_item(handle, row->choices[value], value);
    return handle;
}

static void adigm_cvar_register(int i, MPIR_T_scope_t scope)
{
    const gmsim_param_t *row = &cvars.rows[i];
    MPI_T_enum items = row->choices ? adigm_cvar_enum(row) : MPI_T_ENUM_NULL;
    MPIR_T_cvar_value_t unused = { 0 };
    char desc[1024];
    if (row->choices) {
        snprintf(desc, sizeof(desc), "%s", row->doc);
    } else {
        snprintf(desc, sizeof(desc), "%s%s%s (%llu to %llu)", row->unit,
                 row->unit[0] != '\0' ? ": " : "", row->doc,
                 (unsigned long long) row->min, (unsigned long long) row->max);
    }
    MPIR_T_CVAR_REGISTER_impl(row->choices ? MPI_INT : MPI_UNSIGNED_LONG_LONG, cvars.names[i],
                              row->choices ? (void *) &cvars.choices[i] :
                              (void *) &cvars.values[i], 1, items,
                              MPI_T_VERBOSITY_USER_DETAIL, MPI_T_BIND_NO_OBJECT, scope, NULL,
                              NULL, unused, "gm", desc);
    /* MPICH 4.0.2 ignores this enumeration argument */
    ((cvar_table_entry_t *) utarray_back(cvar_table))->enumtype = items;
}

/* The scope of a variable must not change once a tool may have read it. If MPI_T is initialized
 * after MPI_Init, the variables are constants. If MPI_T is initialized before MPI_Init, the
 * variables keep the scope of writable variables. */
void adigm_cvar_init(void)
{
    int is_writable = MPIR_T_init_balance > 0 && !adigm_has_joined();
    if (!adigm_cvar_make())
        return;
    /* handles of enumerations point into the table, so its memory must not move */
    utarray_reserve(enum_table, cvars.n, MPL_MEM_MPIT);
    for (int i = 0; i < cvars.n; i++) {
        adigm_cvar_register(i, is_writable && !cvars.rows[i].is_shape ?
                            MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_CONSTANT);
    }
    /* If MPI_Init calls this function, MPI_T is not initialized (balance 0), and the values are
     * read only after the process has joined the cluster. */
    if (MPIR_T_init_balance > 0)
        adigm_cvar_read();
    MPIR_T_cvar_write_hook = adigm_cvar_write;
}

void adigm_cvar_joined(void)
{
    adigm_cvar_read();
}
