/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Translates a cluster's parameters into the parameters of a flit network, for
 * the fabric model `flit` (flit_model.c).
 */
#ifndef FABRIC_FLIT_MODEL_H
#define FABRIC_FLIT_MODEL_H

#include "params/params.h"
#include "fabric/flit.h"

/**
 * Compute the configuration of the flit network if the parameter fabric_model
 * is flit. The file link_time.h defines the duration of a cycle.
 * @param [in] params  parameters, in which fabric_model is flit
 * @param [out] error  message with the key, its value and the allowed values
 * @return GMS_OK, GMS_ERR_CONFIG
 */
gms_status_t gms_flit_model_config(const gms_params_t *params,
                                   gms_flit_config_t *config,
                                   char error[GMS_TOPOLOGY_ERROR_LEN]);

#endif
