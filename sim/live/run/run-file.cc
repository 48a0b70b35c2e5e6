// SPDX-License-Identifier: Apache-2.0
#include "run/run-file.h"

#include "json.h"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace sluice::live
{

RunFile::RunFile(const Options& options, const Endpoint& left, const Endpoint& right)
    : path(options.runFile)
{
    Json json;
    json.Add("pid", static_cast<uint64_t>(getpid()))
        .Add("datapath", options.datapath)
        .Add("socket", std::filesystem::absolute(options.socket).string())
        .Add("left", left.Space().File())
        .Add("right", right.Space().File())
        .Add("since", static_cast<uint64_t>(std::time(nullptr)));
    const std::string unfinished = path + "~";
    std::ofstream file(unfinished);
    if (!(file << json.Text() << "\n" << std::flush) || std::rename(unfinished.c_str(), path.c_str()) != 0)
    {
        throw std::system_error(errno, std::generic_category(), "cannot write " + path);
    }
}

RunFile::~RunFile()
{
    unlink(path.c_str());
}

} // namespace sluice::live
