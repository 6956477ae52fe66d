/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types, constants and conversions that all files of libmpi_abi use. Names that begin with MPI_
 * are those of MPICH. The names of the standard ABI begin with ABI_ here, because both headers
 * define the same names. */
#ifndef ADIGM_ABI_H
#define ADIGM_ABI_H

#include <mpi.h>
#include <stdint.h>

#include "adi-gm/abi/internal.h" /* generated header: declares the ABI with the prefix ABI_, and
                                    abi_functions_t */

/* The ABI's constant handles do not exceed this number, but all handles of MPICH do [source:
 * MPI 5.0, section 20.3: constants fit into 10 bits] */
#define ABI_LARGEST 0x3ff
/* MPICH rejects this handle for every type of object */
#define ABI_INVALID 0

/* Pointers to libmpi's functions. The functions cannot be called by name, because libmpi_abi
 * defines the same names */
extern abi_functions_t abi_mpi;
extern const char *const abi_names[];

#define ABI_EXPORT __attribute__((visibility("default")))

/* Begin the definition of an MPI function: the symbol PMPI_name and its weak alias MPI_name. */
#define ABI_DEFINE(type, name, parameters)                                     \
    ABI_EXPORT type abi_##name parameters __asm__("PMPI_" #name);              \
    ABI_EXPORT type abi_weak_##name parameters __asm__("MPI_" #name)           \
        __attribute__((weak, alias("PMPI_" #name)));                           \
    type abi_##name parameters

/* ---- handles ---- */

#define ABI_CONVERT_HANDLE(type)                                               \
    MPI_##type abi_in_##type(ABI_##type h);                                    \
    ABI_##type abi_out_##type(MPI_##type h);
ABI_CONVERT_HANDLE(Comm)
ABI_CONVERT_HANDLE(Datatype)
ABI_CONVERT_HANDLE(Errhandler)
ABI_CONVERT_HANDLE(File)
ABI_CONVERT_HANDLE(Group)
ABI_CONVERT_HANDLE(Info)
ABI_CONVERT_HANDLE(Message)
ABI_CONVERT_HANDLE(Op)
ABI_CONVERT_HANDLE(Request)
ABI_CONVERT_HANDLE(Session)
ABI_CONVERT_HANDLE(Win)
#undef ABI_CONVERT_HANDLE

/* ---- integers with special values; all other values are unchanged ---- */

#define ABI_CONVERT_INT(group)                                                 \
    int abi_in_##group(int x);                                                 \
    int abi_out_##group(int x);
ABI_CONVERT_INT(bind)
ABI_CONVERT_INT(class)
ABI_CONVERT_INT(combiner)
ABI_CONVERT_INT(compare)
ABI_CONVERT_INT(distribute)
ABI_CONVERT_INT(error)
ABI_CONVERT_INT(flavor)
ABI_CONVERT_INT(keyval)
ABI_CONVERT_INT(lock)
ABI_CONVERT_INT(mode)
ABI_CONVERT_INT(model)
ABI_CONVERT_INT(order)
ABI_CONVERT_INT(rank)
ABI_CONVERT_INT(safety)
ABI_CONVERT_INT(scope)
ABI_CONVERT_INT(source)
ABI_CONVERT_INT(split)
ABI_CONVERT_INT(tag)
ABI_CONVERT_INT(thread)
ABI_CONVERT_INT(topology)
ABI_CONVERT_INT(typeclass)
ABI_CONVERT_INT(verbosity)
ABI_CONVERT_INT(whence)
ABI_CONVERT_INT(code)
#undef ABI_CONVERT_INT

#endif
