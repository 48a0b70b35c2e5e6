// SPDX-License-Identifier: Apache-2.0
//
// Serves the registers of Verilated datapaths over a socket, and nothing else: no packets, so that what is tested is
// the server.
//
//   registers-host SOCKET LIBRARY...    a direction for each libsluice_datapath.so, each in a thread of its own
//
// Prints "ready" once it listens, and then a line for each word that is written: "wrote ADDRESS=WORD". Takes lines on
// standard input: "hang N" has direction N leave what it is given undone, "go N" has it go on, "end N" ends its model.
// It ends with its standard input.
#include "control/server.h"
#include "sluice-datapath.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <poll.h>
#include <stdexcept>
#include <thread>

using namespace sluice::live;

namespace
{

/// A datapath of a library, which is loaded as long as the process lives.
class Model
{
  public:
    explicit Model(const char* path)
        : library(dlopen(path, RTLD_NOW | RTLD_LOCAL))
    {
        if (!library)
        {
            throw std::runtime_error(dlerror());
        }
        datapath = Call<decltype(sluice_datapath_create)>("sluice_datapath_create")();
    }

    ~Model()
    {
        Call<decltype(sluice_datapath_destroy)>("sluice_datapath_destroy")(datapath);
    }

    bool Do(Access& access)
    {
        if (access.isWrite)
        {
            std::printf("wrote 0x%03x=0x%x\n", access.address, access.word);
            std::fflush(stdout);
        }
        return access.isWrite ? Call<decltype(sluice_datapath_write)>(
                                    "sluice_datapath_write")(datapath, access.address, access.word)
                              : Call<decltype(sluice_datapath_read)>(
                                    "sluice_datapath_read")(datapath, access.address, &access.word);
    }

  private:
    template <typename Function>
    Function* Call(const char* name)
    {
        return reinterpret_cast<Function*>(dlsym(library, name));
    }

    void* library;
    SluiceDatapath* datapath;
};

/// A direction: a model, its thread, and the mailbox between that and the server.
struct Host
{
    explicit Host(const char* path)
        : model(path),
          thread([this](std::stop_token stop) { Run(stop); })
    {
    }

    ~Host()
    {
        thread.request_stop();
        orders.Ring();
    }

    void Run(std::stop_token stop)
    {
        while (!stop.stop_requested())
        {
            pollfd wakes[] = {{mailbox.Wake(), POLLIN, 0}, {orders.Descriptor(), POLLIN, 0}};
            poll(isHanging ? &wakes[1] : &wakes[0], isHanging ? 1 : 2, -1);
            orders.Silence();
            if (isHanging)
            {
                continue;
            }
            if (const auto run = mailbox.Posted(); !run.empty())
            {
                size_t done = 0;
                while (done < run.size() && model.Do(run[done]))
                {
                    done++;
                }
                mailbox.Reply({done, done < run.size()});
            }
        }
        mailbox.Close();
    }

    Mailbox mailbox;
    Model model;
    Bell orders;
    std::atomic<bool> isHanging = false;
    std::jthread thread; // last, so that it ends before what it uses
};

void
Say(const char* line)
{
    std::puts(line);
    std::fflush(stdout);
}

void
Obey(const char* order, std::deque<Host>& hosts)
{
    char verb[8] = "";
    size_t number = 0;
    if (std::sscanf(order, "%7s %zu", verb, &number) != 2 || number >= hosts.size())
    {
        throw std::invalid_argument(std::string("no order: ") + order);
    }
    Host& host = hosts[number];
    host.isHanging = !std::strcmp(verb, "hang");
    if (!std::strcmp(verb, "end"))
    {
        host.thread.request_stop();
    }
    host.orders.Ring();
}

} // namespace

int
main(int argc, char** argv)
try
{
    if (argc < 3)
    {
        std::fputs("usage: registers-host SOCKET LIBRARY...\n", stderr);
        return 2;
    }
    std::deque<Host> hosts;
    std::vector<Mailbox*> mailboxes;
    for (int i = 2; i < argc; i++)
    {
        mailboxes.push_back(&hosts.emplace_back(argv[i]).mailbox);
    }
    RegisterServer server(argv[1], mailboxes);
    std::setvbuf(stdin, nullptr, _IONBF, 0); // a line that has been read is one that poll shows no more
    Say("ready");
    for (;;)
    {
        pollfd wakes[] = {{server.Wake(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
        poll(wakes, 2, -1);
        server.Serve();
        char order[64];
        if (wakes[1].revents)
        {
            if (!std::fgets(order, sizeof order, stdin))
            {
                return 0;
            }
            Obey(order, hosts);
            Say("ok");
        }
    }
}
catch (const std::exception& error)
{
    std::fprintf(stderr, "registers-host: %s\n", error.what());
    return 1;
}
