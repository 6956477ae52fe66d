/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and checks the key `host_topology:`. This file limits the number of
 * objects before hwloc parses a synthetic description, and resolves the path of
 * an XML file relative to the cluster description. This file does not load the
 * topology. Each rank receives the synthetic description or the path, and its
 * hwloc loads the topology.
 */
#include "cluster/host_topology.h"

#include <ctype.h>
#include <hwloc.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster_int.h"

#define GMS_HOST_FILE_END ".xml"

int gms_host_topology_is_file(const char *text)
{
    size_t length = strlen(text), end = sizeof(GMS_HOST_FILE_END) - 1;

    return length > end && strcmp(text + length - end, GMS_HOST_FILE_END) == 0;
}

/** State of the reader of a synthetic description. */
typedef struct gms_host_text {
    const char *at;         /* first byte that has not been read yet */
    unsigned long long all; /* number of objects on the most recently read
                             * level */
} gms_host_text_t;

static int gms_host_is_blank(char c)
{
    return c == ' ' || c == '\n';
}

/* Skips `(ATTRIBUTES)` if the text continues with a parenthesis. @return 0, or
 * -1 if the parentheses do not match */
static int gms_host_attributes(gms_host_text_t *text)
{
    if (*text->at != '(') {
        return 0;
    }
    text->at += 1 + strcspn(text->at + 1, "()");
    return *text->at++ == ')' ? 0 : -1;
}

/* Counts the letters and digits of a type, which must begin with a letter.
 * @return the number of characters; 0 if there is no type */
static size_t gms_host_type(const char *text)
{
    size_t length = 0;

    while (isalpha((unsigned char)text[length]) ||
           (length > 0 && isdigit((unsigned char)text[length]))) {
        ++length;
    }
    return length;
}

/* Reads one word of a description. The word `[TYPE:]COUNT[(ATTRIBUTES)]` means
 * COUNT objects below each object of the previous word. The word
 * `[TYPE(ATTRIBUTES)]` describes something that is attached to the objects of
 * the previous word. */
static gms_status_t gms_host_word(gms_host_text_t *text)
{
    int is_attached = *text->at == '[';
    size_t type;
    char *end;

    text->at += is_attached;
    type = gms_host_type(text->at);
    if (type > 0) {
        text->at += type;
        if (!is_attached && *text->at++ != ':') {
            return GMS_ERR_CONFIG;
        }
    }
    if (!is_attached) {
        unsigned long long count;

        if (!isdigit((unsigned char)*text->at)) {
            return GMS_ERR_CONFIG;
        }
        count = strtoull(text->at, &end, 0); /* accept octal and hexadecimal
                                            numbers, as hwloc does */
        text->at = end;
        text->all = count > GMS_HOST_TOPOLOGY_MOST ? count : text->all * count;
        if (text->all > GMS_HOST_TOPOLOGY_MOST) {
            return GMS_ERR_INVALID_PARAM;
        }
    }
    if (gms_host_attributes(text) != 0 || (is_attached && *text->at++ != ']')) {
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

/**
 * Checks a synthetic description before hwloc reads the description, because
 * hwloc accepts some invalid descriptions, and needs more than 20 s for a
 * description of a million objects.
 * @return GMS_ERR_INVALID_PARAM if a level would have more objects than allowed,
 *         GMS_ERR_CONFIG if the text is not a synthetic description
 */
static gms_status_t gms_host_synthetic(const char *description)
{
    gms_host_text_t text = {.at = description, .all = 1};
    gms_status_t status = GMS_OK;

    while (gms_host_is_blank(*text.at)) {
        ++text.at;
    }
    if (gms_host_attributes(&text) != 0) { /* skip the attributes of the machine
                                              object */
        return GMS_ERR_CONFIG;
    }
    while (status == GMS_OK && *text.at != '\0') {
        if (gms_host_is_blank(*text.at)) {
            ++text.at;
            continue;
        }
        status = gms_host_word(&text);
        if (status == GMS_OK && *text.at != '\0' &&
            !gms_host_is_blank(*text.at)) {
            status = GMS_ERR_CONFIG;
        }
    }
    return status;
}

gms_status_t gms_host_topology_check(const char *text)
{
    hwloc_topology_t topology;
    gms_status_t status;
    int result;

    if (strcmp(text, GMS_HOST_TOPOLOGY_REAL) == 0) {
        return GMS_OK;
    }
    if (!gms_host_topology_is_file(text)) {
        status = gms_host_synthetic(text);
        if (status != GMS_OK) {
            return status;
        }
    }
    if (hwloc_topology_init(&topology) != 0) {
        return GMS_ERR_NO_MEMORY;
    }
    result = gms_host_topology_is_file(text)
                 ? hwloc_topology_set_xml(topology, text)
                 : hwloc_topology_set_synthetic(topology, text);
    if (result == 0) {
        result = hwloc_topology_load(topology);
    }
    hwloc_topology_destroy(topology);
    return result == 0 ? GMS_OK : GMS_ERR_CONFIG;
}

/* ---- the key of a description ---- */

int gms_loader_path(const gms_loader_t *loader, const char *text, char *path,
                    size_t room)
{
    const char *slash = strrchr(loader->file, '/');
    size_t directory = slash != NULL && text[0] != '/'
                           ? (size_t)(slash + 1 - loader->file)
                           : 0;
    char *whole, *real = NULL;
    int length = -1;

    whole = malloc(directory + strlen(text) + 1);
    if (whole != NULL) {
        memcpy(whole, loader->file, directory);
        strcpy(whole + directory, text);
        real = realpath(whole, NULL);
    }
    if (real != NULL) {
        length = snprintf(path, room, "%s", real);
        errno = ENAMETOOLONG;
    }
    free(real);
    free(whole);
    return length >= 0 && (size_t)length < room ? 0 : -1;
}

gms_status_t gms_loader_host(gms_loader_t *loader)
{
    const yaml_node_t *value = gms_cluster_draft(loader)->host.value;
    char *kept = gms_cluster_draft(loader)->cluster.host_topology;
    gms_status_t status = GMS_ERR_CONFIG;
    const char *text;

    if (value == NULL) {
        return GMS_OK; /* keep the value of the profile */
    }
    text = gms_yaml_scalar(value);
    if (text != NULL && gms_host_topology_is_file(text)) {
        status = gms_loader_path(loader, text, kept, GMS_HOST_TOPOLOGY_LEN) == 0
                     ? gms_host_topology_check(kept)
                     : GMS_ERR_CONFIG;
    } else if (text != NULL && strlen(text) < GMS_HOST_TOPOLOGY_LEN) {
        strcpy(kept, text);
        status = gms_host_topology_check(kept);
    }
    if (status == GMS_OK) {
        return GMS_OK;
    }
    if (status == GMS_ERR_INVALID_PARAM) {
        status = gms_loader_begin_value(loader, "host_topology", value);
        gms_yaml_append(
            loader->error,
            " has too many objects; allowed: up to %u objects per level",
            GMS_HOST_TOPOLOGY_MOST);
        return status;
    }
    status = gms_loader_begin_value(loader, "host_topology", value);
    gms_yaml_append(loader->error,
                    "%s not a topology that hwloc can read; allowed: real, a "
                    "synthetic topology of hwloc such as 'pack:1 core:2 pu:1', "
                    "or an XML file written by lstopo",
                    value->type == YAML_SCALAR_NODE ? " is" : ",");
    return status;
}

/* ---- reading only this key ---- */

static gms_status_t gms_host_key(gms_loader_t *loader, const char *key,
                                 size_t line, const yaml_node_t *value)
{
    const char *text = gms_yaml_scalar(value);
    char reason[GMS_YAML_ERROR_LEN];

    if (strcmp(key, "host_topology") == 0) {
        gms_cluster_draft(loader)->host =
            (gms_section_t){.value = value, .line = line};
    } else if (strcmp(key, "profile") == 0 && text != NULL &&
               gms_profile_find(text) != NULL) {
        gms_cluster_draft(loader)->cluster.profile = gms_profile_find(text);
    } else if (strcmp(key, "profile") == 0 && text != NULL &&
               gms_profile_is_file(text)) {
        return gms_profile_from_file(loader, text, reason);
    }
    return GMS_OK;
}

static gms_status_t gms_host_root(gms_loader_t *loader, const yaml_node_t *root)
{
    gms_status_t status;

    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        return GMS_ERR_CONFIG;
    }
    status = gms_loader_mapping(loader, root, gms_host_key);
    if (status == GMS_OK) {
        strcpy(gms_cluster_draft(loader)->cluster.host_topology,
               gms_cluster_draft(loader)->cluster.profile->host_topology);
        status = gms_loader_host(loader);
    }
    return status;
}

gms_status_t gms_host_topology_of(const char *path,
                                  char text[GMS_HOST_TOPOLOGY_LEN])
{
    char error[GMS_YAML_ERROR_LEN] = "";
    gms_cluster_draft_t draft = {.loader = {
                                     .error = error,
                                     .what = "cluster description",
                                     .each = "one cluster",
                                     .on_root = gms_host_root,
                                 }};
    gms_status_t status = GMS_OK;

    draft.cluster.profile = gms_profile_at(0);
    strcpy(draft.cluster.host_topology, gms_profile_at(0)->host_topology);
    if (path != NULL) {
        status = gms_loader_file(&draft.loader, path);
    }
    if (status == GMS_OK) {
        memcpy(text, draft.cluster.host_topology, GMS_HOST_TOPOLOGY_LEN);
    }
    return status;
}
