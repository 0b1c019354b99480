"""Machines in network namespaces of their own, on a wire that can be cut in one
direction or both, slowed, and made to lose packets (wire.py). Whoever makes it
is a machine as well. Needs root and /dev/net/tun."""

import ctypes
import fcntl
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

from harness import wait_until

SUBNET = "10.83.0"
MTU = 16000       # fewer packets, less work for the wire
CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000

libc = ctypes.CDLL(None, use_errno=True)


def reason_against():
    """Why this machine cannot; None if it can."""
    if os.geteuid() != 0:
        return "PARTITIONS NEED ROOT, FOR NETWORK NAMESPACES"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "PARTITIONS NEED /dev/net/tun"
    tried = subprocess.run(["unshare", "-n", "true"], capture_output=True,
                           check=False)
    return None if tried.returncode == 0 else "NO NETWORK NAMESPACES HERE"


def checked(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def make_device(space, into):
    """A TUN device in a namespace; run in a thread, which goes there."""
    with open(space, "rb") as where:
        checked(libc.setns(where.fileno(), CLONE_NEWNET))
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF,
                struct.pack("16sH22x", b"wire0", IFF_TUN | IFF_NO_PI))
    into.append(device)


class Machine:
    def __init__(self, name, host):
        self.name = name
        self.host = host
        self.address = f"{SUBNET}.{host}"
        self.holder = None  # keeps the namespace; ends with us
        self.space = "/proc/self/ns/net"

    def open_space(self):
        ours = os.readlink("/proc/self/ns/net")
        self.holder = subprocess.Popen(["unshare", "-n", "cat"],
                                       stdin=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL)
        self.space = f"/proc/{self.holder.pid}/ns/net"
        wait_until(lambda: os.readlink(self.space) != ours)

    def wrapper(self):
        """Words before a command that is to run there."""
        return ["nsenter", f"--net={self.space}"] if self.holder else []

    def run(self, *command):
        subprocess.run([*self.wrapper(), *command], check=True)

    def connect(self):
        """Its end of the wire."""
        made = []
        space = os.path.realpath("/proc/self") + "/ns/net" \
            if self.holder is None else self.space
        maker = threading.Thread(target=make_device, args=(space, made))
        maker.start()
        maker.join()
        self.run("ip", "link", "set", "lo", "up")
        self.run("ip", "address", "add", f"{self.address}/24", "dev", "wire0")
        self.run("ip", "link", "set", "wire0", "mtu", str(MTU), "up")
        return made[0]


class Network:
    def __init__(self, names):
        """This process, and what it starts from now on, is "clients"."""
        checked(libc.unshare(CLONE_NEWNET))
        self.machines = {"clients": Machine("clients", 1)}
        for i, name in enumerate(names):
            self.machines[name] = Machine(name, i + 2)
            self.machines[name].open_space()
        ends = [(x.connect(), x.host) for x in self.machines.values()]
        self.wire = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("wire.py"), SUBNET,
             *(f"{fd}={host}" for fd, host in ends)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            pass_fds=[fd for fd, _ in ends])
        for fd, _ in ends:
            os.close(fd)
        self.bad = set()          # links that are not as they should be
        self.carried = self.lost = self.delayed = 0

    def close(self):
        self.wire.stdin.close()
        self.wire.wait()
        self.wire.stdout.close()
        for x in self.machines.values():
            if x.holder:
                x.holder.stdin.close()
                x.holder.wait()

    def __getitem__(self, name):
        return self.machines[name]

    def set_link(self, origin, to, cut=0, loss=0.0, delay_ms=0):
        """In one direction; in force when this returns."""
        self.wire.stdin.write(f"{self[origin].host} {self[to].host} "
                              f"{cut} {loss} {delay_ms}\n")
        self.wire.stdin.flush()
        self.carried, self.lost, self.delayed = (
            int(x) for x in self.wire.stdout.readline().split())
        if cut or loss or delay_ms:
            self.bad.add((origin, to))
        else:
            self.bad.discard((origin, to))

    def cut(self, some, others, both=True):
        for x in some:
            for y in others:
                self.set_link(x, y, cut=1)
                if both:
                    self.set_link(y, x, cut=1)

    def worsen(self, name, loss=0.0, delay_ms=0):
        """All links of a machine."""
        for other in self.machines:
            if other != name:
                self.set_link(name, other, loss=loss, delay_ms=delay_ms)
                self.set_link(other, name, loss=loss, delay_ms=delay_ms)

    def mend(self):
        for origin, to in list(self.bad):
            self.set_link(origin, to)
