// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What is upset: a tile.
#ifndef SLUICE_UPSETS_DESIGN_H
#define SLUICE_UPSETS_DESIGN_H

#include "Vtile.h"

namespace upsets
{

using Design = Vtile;

} // namespace upsets

#endif // SLUICE_UPSETS_DESIGN_H
