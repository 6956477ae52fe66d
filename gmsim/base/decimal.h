/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Parses decimal numbers in their usual form. The function strtod() would also
 * accept hexadecimal numbers, "inf", "nan" and leading blanks.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

/** Parse a decimal number at the beginning of a text: "-1", "2.5", "4e6".
 *  @param [out] end_p  first character after the number, or the beginning of
 *                      the text if there is no number
 *  @return the number; 0 if the text does not begin with a number */
double gms_decimal(const char *text, char **end_p);

#endif
