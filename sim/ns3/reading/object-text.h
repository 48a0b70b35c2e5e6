/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Objects described in ns-3's own notation, "ns3::TypeId[Name=value|Name=value]", checked name by
 * name so that a mistake is reported in words.
 */

#ifndef OBJECT_TEXT_H
#define OBJECT_TEXT_H

#include "ns3/object-factory.h"

#include <optional>
#include <set>
#include <string>

namespace sluice_ns3
{

/**
 * @brief Read the description of an object.
 *
 * A value runs to the next '|' or to the final ']', so ',' '=' ':' and spaces may stand in it.
 * Throws std::invalid_argument for a malformed text, a type that is unknown or not of the base,
 * an attribute that is unknown or a value that it does not take.
 *
 * @param text "ns3::TypeId" or "ns3::TypeId[Name=value|Name=value]"
 * @param base the type that the object must be derived from
 * @param others names that are no attributes; what they are set to is left to the caller
 * @return a factory for such objects
 */
ns3::ObjectFactory ParseObjectText(const std::string& text,
                                   ns3::TypeId base,
                                   const std::set<std::string>& others = {});

/**
 * @brief Find what the description sets a name to.
 * @param text the description
 * @param name an attribute, or one of the other names
 * @return the value, of several the last; nothing if the name is not there
 */
std::optional<std::string> FindValue(const std::string& text, const std::string& name);

/**
 * @brief Change the default of an attribute for every object made from now on.
 *
 * Throws std::invalid_argument for an unknown attribute or a value that it does not take.
 *
 * @param path "ns3::TypeId::Attribute"
 * @param value the value as text
 */
void SetAttributeDefault(const std::string& path, const std::string& value);

} // namespace sluice_ns3

#endif /* OBJECT_TEXT_H */
