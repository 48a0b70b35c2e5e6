/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Objects described as text; see the header.
 */

#include "reading/object-text.h"

#include "ns3/config.h"
#include "ns3/string.h"

#include <stdexcept>
#include <utility>
#include <vector>

namespace sluice_ns3
{

using namespace ns3;

namespace
{

/// A description taken apart.
struct ObjectParts
{
    std::string type;                                        //!< name of the type
    std::vector<std::pair<std::string, std::string>> values; //!< attributes and their values
};

/**
 * @brief Take a description apart.
 * @param text the description
 * @return its parts
 */
ObjectParts
Split(const std::string& text)
{
    const auto open = text.find('[');
    ObjectParts parts{text.substr(0, open), {}};
    if (open == std::string::npos)
    {
        return parts;
    }
    if (text.back() != ']')
    {
        throw std::invalid_argument("'" + text + "': no ']' at the end");
    }
    const std::string list = text.substr(open + 1, text.size() - open - 2);
    std::size_t begin = 0;
    while (begin < list.size())
    {
        const auto end = std::min(list.find('|', begin), list.size());
        const std::string pair = list.substr(begin, end - begin);
        const auto equals = pair.find('=');
        if (equals == std::string::npos)
        {
            throw std::invalid_argument("'" + text + "': '" + pair + "' is not Name=value");
        }
        parts.values.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
        begin = end + 1;
    }
    return parts;
}

/**
 * @brief Find a type by name.
 * @param name the name
 * @return the type
 */
TypeId
FindType(const std::string& name)
{
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(name, &type))
    {
        throw std::invalid_argument("unknown ns-3 type '" + name + "'");
    }
    return type;
}

/**
 * @brief Check an attribute and its value.
 * @param type the type
 * @param name the attribute
 * @param value the value as text
 */
void
CheckAttribute(TypeId type, const std::string& name, const std::string& value)
{
    TypeId::AttributeInformation info;
    if (!type.LookupAttributeByName(name, &info))
    {
        throw std::invalid_argument(type.GetName() + " has no attribute '" + name + "'");
    }
    if (!info.checker->CreateValidValue(StringValue(value)))
    {
        throw std::invalid_argument(type.GetName() + "::" + name + " does not take '" + value +
                                    "' (" + info.checker->GetValueTypeName() + ")");
    }
}

} // namespace

ObjectFactory
ParseObjectText(const std::string& text, TypeId base, const std::set<std::string>& others)
{
    const ObjectParts parts = Split(text);
    const TypeId type = FindType(parts.type);
    if (!type.IsChildOf(base) || !type.HasConstructor())
    {
        throw std::invalid_argument("'" + parts.type + "' is not a " + base.GetName());
    }
    ObjectFactory factory;
    factory.SetTypeId(type);
    for (const auto& [name, value] : parts.values)
    {
        if (!others.contains(name))
        {
            CheckAttribute(type, name, value);
            factory.Set(name, StringValue(value));
        }
    }
    return factory;
}

std::optional<std::string>
FindValue(const std::string& text, const std::string& name)
{
    std::optional<std::string> found;
    for (const auto& value : Split(text).values)
    {
        if (value.first == name)
        {
            found = value.second;
        }
    }
    return found;
}

void
SetAttributeDefault(const std::string& path, const std::string& value)
{
    const auto colons = path.rfind("::");
    if (colons == std::string::npos)
    {
        throw std::invalid_argument("defaults: '" + path + "' is not ns3::Type::Attribute");
    }
    CheckAttribute(FindType(path.substr(0, colons)), path.substr(colons + 2), value);
    Config::SetDefault(path, StringValue(value));
}

} // namespace sluice_ns3
