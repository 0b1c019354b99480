"""What an engine shows of itself: the shell's documents and what depositors and
workers are told, without what depends on the moment."""

import hashlib
import http.client
import json

from deposit_door import Door

KEYS = {name: f"golden-key-of-{name}" for name in ("loader", "worker")}
PASSWORDS = {user: f"secret-{user}" for user in
             ("amelie", "boris", "chidi", "dalia", "fay", "grace", "hana")}
PASSWORDS["fay"] = "another secret of fay"

# Of a queue; sizes tell the rest.
PEEKED = 40
ASKED_OF_A_QUEUE = (["show"], ["size"], ["peek", "--limit", str(PEEKED)])

# Of an engine and of its uptime, not of what it keeps; and how far record logs
# are with a broker that is not there.
MOMENTARY = {
    "record_logs",
    "version", "started_at", "uptime_s", "slots", "store", "handed_out",
    "finished", "turn", "turns", "turns_taken", "processors", "working",
    "nodes", "text", "left_ms"}


class Messages:
    """A client of the EmoDB door with the key of a name."""

    def __init__(self, engine, name="worker"):
        self.engine = engine
        self.key = KEYS[name]

    def answer(self, method, path, body=None):
        """(status, what was said)"""
        line = http.client.HTTPConnection(*self.engine.address("http"),
                                          timeout=60)
        try:
            line.request(method, path,
                         None if body is None else json.dumps(body),
                         {"Content-Type": "application/json",
                          "X-BV-API-Key": self.key})
            answer = line.getresponse()
            return answer.status, answer.read().decode()
        finally:
            line.close()

    def call(self, method, path, body=None):
        status, text = self.answer(method, path, body)
        if status != 200:
            raise ValueError(f"{method} {path}: {status} {text[:200]}")
        return json.loads(text) if text else None

    def post(self, path, body=None):
        return self.call("POST", path, body)

    def poll(self, queue, limit=1, ttl_s=3600):
        return self.call("GET", f"{queue}/poll?limit={limit}&ttl={ttl_s}")


def is_within(part, whole):
    """Whether all that `part` says is said by `whole`, which may say more of
    a thing, but of no more things in a list."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_within(value, whole[key])
                   for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(map(is_within, part, whole))
    return part == whole


def digest(data):
    return hashlib.sha256(data).hexdigest()


def brief(payload):
    """Itself, or how one recognises it."""
    text = json.dumps(payload)
    return payload if len(text) < 200 else digest(text.encode())


def steady(shown):
    """Without what another moment would show otherwise."""
    if isinstance(shown, dict):
        return {key: steady(value) for key, value in shown.items()
                if key not in MOMENTARY}
    if isinstance(shown, list):
        return [steady(value) for value in shown]
    return shown


def look(engine, message_queues, moves):
    """Everything. `message_queues` are paths of the EmoDB door, `moves` paths
    of references that it gave."""
    return {
        "status": steady(engine.ask("status")),
        "queues": queues(engine),
        "users": users(engine),
        "keys": engine.ask("key", "list"),
        "processors": processors(engine),
        "submissions": submissions(engine),
        "messages": {path: messages(engine, path) for path in message_queues},
        "moves": {path: Messages(engine).call("GET", path) for path in moves},
    }


def has_moved(engine, moves):
    """Whether every one of these moves has ended."""
    client = Messages(engine)
    return all(client.call("GET", path)["status"] == "COMPLETE"
               for path in moves)


def queues(engine):
    names = [row["name"] for row in engine.rows("queue", "list")]
    shown = [steady(engine.ask_all(
        [["queue", what, name, *more] for name in names]))
        for what, *more in ASKED_OF_A_QUEUE]
    return {name: {what[0]: found for what, found
                   in zip(ASKED_OF_A_QUEUE, of_it)}
            for name, *of_it in zip(names, *shown)}


def users(engine):
    names = [row["user"] for row in engine.rows("user", "list")]
    return dict(zip(names, steady(engine.ask_all(
        [["user", "show", name] for name in names]))))


def processors(engine):
    """As they were set."""
    return sorted(({k: v for k, v in row.items() if k != "working"}
                   for row in engine.ask("sp", "list")["processors"]),
                  key=lambda row: row["name"])


def submissions(engine):
    """By number, with what pollers get and why the rest waits."""
    out = {}
    rows = engine.submissions()
    more = engine.ask_all(
        [["submission", "show", str(row["id"])] if row["status"] == "completed"
         else ["why", str(row["id"])] for row in rows])
    for row, shown in zip(rows, more):
        number = str(row["id"])
        found = {"row": row}
        if row["status"] == "completed":
            found["document"] = digest(shown["document"].encode())
        else:
            found["why"] = sorted(r["reason"] for r in shown["reasons"])
        if row["user"] in PASSWORDS:
            found["told"] = told(engine, row)
        out[number] = found
    return out


def told(engine, row):
    """What the depositor's polls are answered."""
    # The contents of a record are not kept for its depositor.
    kinds = ["result"] + ["contents"] * (row["source"] != "kafka")
    door = Door(engine.address("http"), row["user"], PASSWORDS[row["user"]])
    try:
        return {kind: [answer.status, digest(answer.body)]
                for kind in kinds
                for answer in [door.download(row["file_name"], kind)]}
    finally:
        door.close()


def messages(engine, path):
    """Their payloads in order, and the counts."""
    client = Messages(engine)
    peeked = client.call("GET", f"{path}/peek?limit={PEEKED}")
    return {
        "ids": [x["id"] for x in peeked],
        "payloads": [brief(x["payload"]) for x in peeked],
        "size": client.call("GET", f"{path}/size"),
        "claims": client.call("GET", f"{path}/claimcount"),
    }
