/* SPDX-License-Identifier: Apache-2.0
 *
 * All that a guest runs: it lets the device answer to its BAR, runs /program on it as a user
 * would, and turns the machine off.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ADDRESS "0000:00:03.0"

static int
run(void)
{
    if (mkdir("/sys", 0755) || mount("sysfs", "/sys", "sysfs", 0, NULL))
    {
        return -1;
    }
    const int enable = open("/sys/bus/pci/devices/" ADDRESS "/enable", O_WRONLY);
    if (enable < 0 || write(enable, "1", 1) != 1)
    {
        return -1;
    }
    close(enable);
    const pid_t program = fork();
    if (program == 0)
    {
        execl("/program", "/program", "pci:" ADDRESS, (char*)NULL);
        _exit(127);
    }
    int status = -1;
    return waitpid(program, &status, 0) == program ? status : -1;
}

int
main(void)
{
    printf("guest: begins\n");
    const int status = run();
    if (status)
    {
        perror("guest");
    }
    printf("guest: status %d\n", status);
    fflush(stdout);
    sync();
    return reboot(RB_POWER_OFF);
}
