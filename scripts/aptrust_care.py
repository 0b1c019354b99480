"""What is done to bags after they are stored, for the main job: one is given
back and compared bit by bit, and one file is damaged on purpose and found."""

import io
import tarfile
import time

from merritt_job import JOB_ENDS, NotDone

WAIT_S = 120
LOOK_EVERY_S = 0.25


def ended(engine, batch):
    """The jobs of an order, once all have ended."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        shown = engine.ask("batch", "show", batch)
        jobs = engine.rows("job", "list", "--batch", str(shown["id"]))
        if jobs and all(job["state"] in JOB_ENDS for job in jobs):
            return jobs
        time.sleep(LOOK_EVERY_S)
    raise NotDone(f"the order {batch} did not end within {WAIT_S} s")


def files_in(tar):
    """{path inside the bag: bytes}."""
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        return {entry.name.split("/", 1)[1]: archive.extractfile(entry).read()
                for entry in archive if entry.isfile()}


def give_back(engine, institution, bag):
    """What is wrong with the restored bag."""
    identifier = bag.identifier()
    order = engine.ask("object", "restore", identifier)["batch"]
    for job in ended(engine, order):
        if job["state"] != "completed":
            return [f"{identifier}: not restored: {job['note']}"]
    place = engine.data / "restored" / institution / f"{bag.name}.tar"
    found = files_in(place.read_bytes())
    wrong = [f"{identifier}: {path} came back as something else"
             for path, content in bag.payload.items()
             if found.get(f"data/{path}") != content]
    print(f"  {identifier:<20} restored to {place}: "
          f"{len(bag.payload) - len(wrong)} of {len(bag.payload)} payload "
          f"files are the same, bit by bit")
    return wrong


def damage_and_find(engine, bag):
    """What is wrong with how a turned bit was found. The bit is turned back."""
    identifier = bag.identifier()
    path, content = next((path, content)
                         for path, content in bag.payload.items() if content)
    kept = next(file for file in (engine.data / "objects").rglob("*")
                if file.is_file() and file.read_bytes() == content)
    mode = kept.stat().st_mode
    kept.chmod(0o600)
    try:
        kept.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        order = engine.ask("fixity", "run", identifier, "--file",
                           f"data/{path}", "--force")["batch"]
        job = ended(engine, order)[0]
    finally:
        kept.write_bytes(content)
        kept.chmod(mode)
    waits = [row["id"] for row in engine.rows("review", "list")]
    print(f"  {identifier:<20} a bit of data/{path} was turned: "
          f"{job['state']}, {job['note']}")
    if job["state"] != "failed" or job["id"] not in waits:
        return [f"{identifier}: nobody is told that data/{path} is damaged"]
    return []


def care_for(engine, institution):
    """What is wrong, after both were done to its first bag that is stored."""
    bag = next(sample.bag for sample in institution.samples
               if sample.state == "completed")
    print("\ncare")
    return (give_back(engine, institution.name, bag)
            + damage_and_find(engine, bag))
