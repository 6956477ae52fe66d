/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the device's MPI_T variables by category, with one line per variable.
 */
#include "tool.h"

static const char *class_name(int var_class)
{
    switch (var_class) {
    case MPI_T_PVAR_CLASS_COUNTER:
        return "counter";
    case MPI_T_PVAR_CLASS_AGGREGATE:
        return "aggregate";
    case MPI_T_PVAR_CLASS_TIMER:
        return "timer";
    case MPI_T_PVAR_CLASS_LEVEL:
        return "level";
    case MPI_T_PVAR_CLASS_PERCENTAGE:
        return "percentage";
    }
    return "?";
}

static void print_pvar(const char *category, int i)
{
    char name[64], text[512];
    int len = sizeof(name), text_len = sizeof(text), index = -1;
    int verbosity, var_class, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum items;

    MPI_T_pvar_get_info(i, name, &len, &verbosity, &var_class, &type, &items,
                        text, &text_len, &bind, &readonly, &continuous,
                        &atomic);
    CHECK(MPI_T_pvar_get_index(name, var_class, &index) == MPI_SUCCESS &&
              index == i,
          "%s: %d", name, index);
    CHECK((bind == MPI_T_BIND_MPI_COMM) == (strcmp(category, "gm_flow") == 0),
          "%s", name);
    printf("%s | %s | %s\n", name, class_name(var_class), text);
}

static void print_cvar(int i)
{
    char name[64], text[1024], item[64] = "";
    int len = sizeof(name), text_len = sizeof(text), item_len = sizeof(item);
    int verbosity, bind, scope, count, choice, index;
    tool_count_t number;
    MPI_T_cvar_handle handle;
    MPI_Datatype type;
    MPI_T_enum items;

    MPI_T_cvar_get_info(i, name, &len, &verbosity, &type, &items, text,
                        &text_len, &bind, &scope);
    CHECK(scope == MPI_T_SCOPE_CONSTANT, "%s", name);
    CHECK(strstr(text, "[source: ") != NULL ||
              strstr(text, "[assumed: ") != NULL,
          "%s: %s", name, text);
    CHECK(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS && index == i, "%s",
          name);
    MPI_T_cvar_handle_alloc(i, NULL, &handle, &count);
    if (type == MPI_INT) {
        MPI_T_cvar_read(handle, &choice);
        MPI_T_enum_get_item(items, choice, &choice, item, &item_len);
        printf("%s %s\n", name, item);
    } else {
        MPI_T_cvar_read(handle, &number);
        printf("%s %llu\n", name, number);
    }
    MPI_T_cvar_handle_free(&handle);
}

int main(int argc, char **argv)
{
    static const char *const categories[] = {"gm", "gm_nic", "gm_flow"};
    int found[1024];

    check_start(&argc, &argv);
    tool_init();
    for (int c = 0; c < 3; ++c) {
        char name[64], text[512];
        int index = -1, len = sizeof(name), text_len = sizeof(text);
        int cvars = 0, pvars = 0, inner = 0;

        CHECK(MPI_T_category_get_index(categories[c], &index) == MPI_SUCCESS,
              "%s", categories[c]);
        MPI_T_category_get_info(index, name, &len, text, &text_len, &cvars,
                                &pvars, &inner);
        CHECK(inner == (c == 0 ? 2 : 0), "%s: %d", name, inner);
        CHECK(cvars < 1024 && pvars < 1024, "%s", name);
        MPI_T_category_get_cvars(index, 1024, found);
        for (int i = 0; i < cvars; ++i) {
            print_cvar(found[i]);
        }
        MPI_T_category_get_pvars(index, 1024, found);
        for (int i = 0; i < pvars; ++i) {
            print_pvar(name, found[i]);
        }
    }
    MPI_T_finalize();
    return check_end();
}
