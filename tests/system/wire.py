"""A wire between machines: carries packets from one TUN device to another, and
cuts, loses or delays those of a direction as it is told. No module of the
kernel is needed but `tun`; netem, which many kernels lack, is not.

    wire.py SUBNET FD=HOST...      SUBNET: 10.83.0, HOST: the last number

Reads lines `FROM TO CUT LOSS DELAY_MS` (hosts, 0 or 1, 0 to 1, milliseconds)
and answers each with a line once it is in force: packets carried, lost and
delayed so far."""

import heapq
import os
import random
import selectors
import sys
import time

AT_ONCE = 64    # packets of one machine before the next has its turn
HELD_MAX = 20_000


class Wire:
    def __init__(self, machines, subnet):
        self.devices = {host: fd for fd, host in machines}
        self.subnet = bytes(int(x) for x in subnet.split("."))
        self.links = {}    # (from, to): (cut, loss, delay in seconds)
        self.held = []     # (when, number, to, packet)
        self.carried = self.lost = self.delayed = 0
        self.chance = random.Random(1)
        self.selector = selectors.DefaultSelector()
        for fd, host in machines:
            os.set_blocking(fd, False)
            self.selector.register(fd, selectors.EVENT_READ, host)
        self.selector.register(0, selectors.EVENT_READ, None)

    def run(self):
        while True:
            wait = None
            if self.held:
                wait = max(0, self.held[0][0] - time.monotonic())
            for key, _ in self.selector.select(wait):
                if key.data is None:
                    if not self.obey():
                        return
                else:
                    self.take(key.fd, key.data)
            now = time.monotonic()
            while self.held and self.held[0][0] <= now:
                _, _, host, packet = heapq.heappop(self.held)
                self.give(host, packet)

    def take(self, fd, host):
        for _ in range(AT_ONCE):
            try:
                packet = os.read(fd, 65536)
            except BlockingIOError:
                return
            # IPv4 to one of us; the rest is chatter of IPv6.
            if packet[0] >> 4 != 4 or packet[16:19] != self.subnet:
                continue
            to = packet[19]
            cut, loss, delay = self.links.get((host, to), (0, 0, 0))
            if to not in self.devices:
                continue
            if cut or (loss and self.chance.random() < loss):
                self.lost += 1
            elif delay and len(self.held) < HELD_MAX:
                self.delayed += 1
                when = time.monotonic() + delay * self.chance.uniform(0.5, 1.5)
                heapq.heappush(self.held, (when, self.delayed, to, packet))
            else:
                self.give(to, packet)

    def give(self, host, packet):
        try:
            os.write(self.devices[host], packet)
            self.carried += 1
        except OSError:  # its queue is full
            self.lost += 1

    def obey(self):
        """One line; False at the end of them."""
        line = bytearray()
        while not line.endswith(b"\n"):
            part = os.read(0, 1)
            if not part:
                return False
            line += part
        origin, to, cut, loss, delay_ms = line.split()
        self.links[int(origin), int(to)] = (
            int(cut), float(loss), float(delay_ms) / 1000)
        print(self.carried, self.lost, self.delayed, flush=True)
        return True


def main():
    machines = [tuple(int(x) for x in word.split("="))
                for word in sys.argv[2:]]
    Wire(machines, sys.argv[1]).run()


if __name__ == "__main__":
    main()
