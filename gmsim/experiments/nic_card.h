/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Solves or simulates the model of a sending NIC by Cherukuri et al. at the
 * paper's six arrival rates.
 */
#ifndef EXPERIMENTS_NIC_CARD_H
#define EXPERIMENTS_NIC_CARD_H

#include "experiments/experiment.h"
#include "analytic/nic.h"
#include "analytic/sim.h"

#define GMS_NIC_CARD_RATES 6
/** Above this rate, the host DMA engine is busy for more than 95 % of the time.
 *  At such rates, the length of the engine's queue varies so much that only
 *  long runs estimate the mean accurately. */
#define GMS_NIC_CARD_BUSY 0.01
/** The six arrival rates, in doorbells per microsecond. */
extern const double gms_nic_card_rates[GMS_NIC_CARD_RATES];

/** Create the model. In simulation 1, the LANai processor has one queue. In
 *  simulation 2, the LANai processor polls one queue per class. */
gms_model_t *gms_nic_card(double rate, unsigned simulation);
/** Return the setting of a row, such as "lambda=0.00273". */
const char *gms_nic_card_setting(double rate, char text[GMS_LAB_NAME_LEN]);

/** Solve the model. @return NULL after a failure, which gms_lab_fail() has
 *  reported */
gms_model_result_t *gms_nic_card_solve(gms_lab_t *lab, double rate,
                                       gms_model_method_t method);
/** Simulate the model for a total number of messages. @return NULL after a
 *  failure, which gms_lab_fail() has reported */
gms_model_sim_result_t *gms_nic_card_simulate(gms_lab_t *lab, double rate,
                                              unsigned simulation,
                                              uint64_t messages);

/** Returns the value of a row from the result of a simulation. */
typedef gms_model_estimate_t
gms_nic_card_value_fn(const gms_model_sim_result_t *result, unsigned which);

/** Report the rows of a quantity for both simulations at all rates.
 *  @param [in] messages number of messages per run
 *  @param [in] messages_if_busy number of messages per run at rates above
 *  GMS_NIC_CARD_BUSY
 *  @param [in] names  names of the quantities, indexed by `which' and
 *    terminated by NULL
 *  @param [in] sum suffix of the quantity's name in simulation 2, or "" */
gms_status_t gms_nic_card_table(gms_lab_t *lab, uint64_t messages,
                                uint64_t messages_if_busy,
                                gms_nic_card_value_fn *value,
                                const char *const *names, const char *sum);

#endif
