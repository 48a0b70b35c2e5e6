// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <functional>
#include <map>
#include <stdexcept>

namespace sluice::live
{

namespace
{

/// Both parts of "a=b".
std::pair<std::string, std::string>
Pair(const std::string& text)
{
    const size_t at = text.find('=');
    if (at == std::string::npos)
    {
        throw std::invalid_argument("no '=' in '" + text + "'");
    }
    return {text.substr(0, at), text.substr(at + 1)};
}

uint64_t
Number(const std::string& text)
{
    size_t end = 0;
    const uint64_t number = std::stoull(text, &end, 0);
    if (end != text.size())
    {
        throw std::invalid_argument("'" + text + "' is no number");
    }
    return number;
}

} // namespace

Options
OptionsOf(int count, char** words)
{
    Options o;
    using Take = std::function<void(const std::string&)>;
    const std::map<std::string, Take> values{
        {"--datapath", [&](auto& text) { o.datapath = text; }},
        {"--library", [&](auto& text) { o.library = text; }},
        {"--digest", [&](auto& text) { o.digest = static_cast<uint32_t>(Number(text)); }},
        {"--word",
         [&](auto& text) {
             const auto [address, value] = Pair(text);
             o.words.emplace_back(Number(address), Number(value));
         }},
        {"--parameter", [&](auto& text) { o.parameters.push_back(Pair(text)); }},
        {"--mark",
         [&](auto& text) {
             o.reasons.push_back({static_cast<uint8_t>(Number(Pair(text).first)), true, Pair(text).second});
         }},
        {"--drop",
         [&](auto& text) {
             o.reasons.push_back({static_cast<uint8_t>(Number(Pair(text).first)), false, Pair(text).second});
         }},
        {"--delay-ns", [&](auto& text) { o.delayNs = Number(text); }},
        {"--congestion", [&](auto& text) { o.congestion = text; }},
        {"--duration-ns", [&](auto& text) { o.durationNs = Number(text); }},
        {"--record", [&](auto& text) { o.record = text; }},
        {"--socket", [&](auto& text) { o.socket = text; }},
        {"--run-file", [&](auto& text) { o.runFile = text; }},
        {"--json", [&](auto& text) { o.json = text; }},
    };
    const std::map<std::string, bool*> flags{
        {"--both-ways", &o.isBothWays},
        {"--strict", &o.isStrict},
        {"--quiet", &o.isQuiet},
    };
    for (int i = 1; i < count; i++)
    {
        const std::string word = words[i];
        if (word == "--")
        {
            o.command.assign(words + i + 1, words + count);
            break;
        }
        if (const auto flag = flags.find(word); flag != flags.end())
        {
            *flag->second = true;
            continue;
        }
        const auto value = values.find(word);
        if (value == values.end() || i + 1 == count)
        {
            throw std::invalid_argument("what is '" + word + "'? `sluice live --help` says what there is");
        }
        value->second(words[++i]);
    }
    return o;
}

} // namespace sluice::live
