// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What is upset: a datapath of 64 bits.
#ifndef SLUICE_UPSETS_DESIGN_H
#define SLUICE_UPSETS_DESIGN_H

#include "Vdatapath.h"

namespace upsets
{

using Design = Vdatapath;

} // namespace upsets

#endif // SLUICE_UPSETS_DESIGN_H
