// SPDX-License-Identifier: Apache-2.0
//
// An object of JSON, written member by member.
#ifndef SLUICE_LIVE_JSON_H
#define SLUICE_LIVE_JSON_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace sluice::live
{

class Json
{
  public:
    /// A member whose value is JSON already.
    Json& AddRaw(std::string_view name, std::string_view value)
    {
        text += (text.empty() ? "" : ", ") + Quoted(name) + ": " + std::string(value);
        return *this;
    }

    Json& Add(std::string_view name, const Json& value)
    {
        return AddRaw(name, value.Text());
    }

    Json& Add(std::string_view name, const std::string& value)
    {
        return AddRaw(name, Quoted(value));
    }

    Json& Add(std::string_view name, const char* value)
    {
        return AddRaw(name, Quoted(value));
    }

    Json& Add(std::string_view name, bool value)
    {
        return AddRaw(name, value ? "true" : "false");
    }

    Json& Add(std::string_view name, uint64_t value)
    {
        return AddRaw(name, std::to_string(value));
    }

    Json& Add(std::string_view name, double value)
    {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.6g", value);
        return AddRaw(name, digits);
    }

    std::string Text() const
    {
        return "{" + text + "}";
    }

  private:
    static std::string Quoted(std::string_view value)
    {
        std::string quoted = "\"";
        for (const char c : value)
        {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, static_cast<unsigned char>(c) < 0x20 ? "\\u%04x" : "%c", c);
            quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(escaped);
        }
        return quoted + "\"";
    }

    std::string text;
};

} // namespace sluice::live

#endif
