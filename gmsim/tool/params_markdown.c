/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the reference page of all parameters from the table of parameters. */
#include "tool/params_markdown.h"

#include <stdio.h>
#include <string.h>

#include "params/params.h"
#include "params/profile.h"

/* The parameter table is a single list, in which the parameters of each part of
 * the cluster are adjacent. Each element of this array names the first row of a
 * part. */
typedef struct gms_tool_part {
    const char *first; /* first row of this part */
    const char *title, *doc;
} gms_tool_part_t;

static const gms_tool_part_t gms_tool_parts[] = {
    {"hosts", "The cluster",
     "Parameters of hosts, switches, ranks and the run itself. Most of these "
     "parameters are also top-level keys of a cluster file."},
    {"host_send_ps", "The host",
     "Time that the calling process spends in each call to the GM library."},
    {"mpi_eager_bytes", "MPI",
     "Time that MPI adds to GM in the calling process."},
    {"lanai_cycle_ps", "The NIC's processor",
     "Duration of each step of the control program, in LANai cycles."},
    {"nic_kind", "The NIC", "DMA engines, buffers, packets and time limits."},
    {"hca_inline_bytes", "Pipelined NICs (hca)",
     "Stages of a pipelined NIC, which work concurrently."},
    {"gm_ports", "GM", "Limits of the library."},
    {"link_bytes_s", "The fabric",
     "Links and switches. The parameters flit_* apply only to the fabric model "
     "flit, and vl_* only to cut-through."},
    {"eth_dscp_real_time", "Ethernet",
     "Priorities, pauses and marks of the fabric model ethernet, and the rate "
     "control DCQCN."},
    {"fault_drop_ppm", "Faults",
     "Probabilities for each packet, in millionths, and outages of links. The "
     "section `faults:` of a cluster file has shorter names for these "
     "parameters."},
    {"qos_node_rule", "Bandwidth",
     "Limits of the managers' guarantees, and the cost of requests to the "
     "managers."},
    {"io_disks", "I/O hosts",
     "Disks of the I/O hosts, which the section `io:` of a cluster file lists. "
     "This section has shorter names for these parameters. Without I/O hosts, "
     "the parameters have no effect."},
};

static void gms_markdown_text(const char *text)
{
    for (; *text != '\0'; ++text) {
        if (strchr("|*<\\", *text) != NULL) {
            putchar('\\');
        }
        putchar(*text);
    }
}

static void gms_markdown_value(const gms_param_t *row, uint64_t value)
{
    if (row->names != NULL) {
        printf("%s", row->names[value]);
    } else {
        printf("%llu", (unsigned long long)value);
    }
}

static void gms_markdown_allowed(const gms_param_t *row)
{
    const char *const *name;

    if (row->names == NULL) {
        printf("%llu to %llu", (unsigned long long)row->min,
               (unsigned long long)row->max);
        return;
    }
    for (name = row->names; *name != NULL; ++name) {
        printf("%s%s", (name == row->names) ? "" : ", ", *name);
    }
}

static void gms_markdown_row(const gms_param_t *row)
{
    const char *const *name;
    const gms_profile_t *profile;
    const gms_profile_value_t *own;

    printf("| `%s` ", row->name);
    for (name = gms_profile_names; *name != NULL; ++name) {
        own = gms_profile_value(gms_profile_find(*name), row);
        printf("| ");
        gms_markdown_value(row, (own != NULL) ? own->value : row->value);
        putchar(' ');
    }
    printf("| %s | ", row->unit);
    gms_markdown_allowed(row);
    printf(" | ");
    gms_markdown_text(row->doc);
    for (name = gms_profile_names; *name != NULL; ++name) {
        profile = gms_profile_find(*name);
        own = gms_profile_value(profile, row);
        if (own != NULL) {
            printf(" In %s: ", profile->name);
            gms_markdown_text(own->doc);
        }
    }
    printf(" |\n");
}

static void gms_markdown_part(const gms_tool_part_t *part)
{
    const char *const *name;

    printf("\n## %s\n\n%s\n\n| parameter ", part->title, part->doc);
    for (name = gms_profile_names; *name != NULL; ++name) {
        printf("| %s ", *name);
    }
    printf("| unit | allowed | meaning and source |\n| --- ");
    for (name = gms_profile_names; *name != NULL; ++name) {
        printf("| ---: ");
    }
    printf("| --- | --- | --- |\n");
}

void gms_tool_params_markdown(void)
{
    const gms_param_t *row;
    size_t i;

    printf(
        "# Parameters\n\n"
        "This page lists every parameter of the simulated hardware: its value "
        "in each hardware\nprofile, the allowed values, its meaning and its "
        "source. `gmsim params --markdown`\nprints this page. A cluster file "
        "changes parameters in its section `parameters:`\n([cluster.md]"
        "(cluster.md)). *Source* names the publication of a number, or the "
        "measurement\nto which it is calibrated; *assumed* gives the reason "
        "for a choice.\n");
    for (row = gms_param_table; row->name != NULL; ++row) {
        for (i = 0; i < sizeof(gms_tool_parts) / sizeof(gms_tool_parts[0]);
             ++i) {
            if (strcmp(row->name, gms_tool_parts[i].first) == 0) {
                gms_markdown_part(&gms_tool_parts[i]);
            }
        }
        gms_markdown_row(row);
    }
}
