"""Hermes' own memory tool, writing as an agent would: run by an interpreter that has Hermes, not by pytest.

Reads a line "<edits> <seed>", makes so many edits and answers in one line of JSON what became of them.
Only what it wrote itself is replaced or removed.
"""

import json
import random
import sys
import time

from tools.memory_tool import MemoryStore

TOPICS = (
    "forum",
    "wiki",
    "mail relay",
    "build farm",
    "ticket queue",
    "map server",
    "图床",
    "论坛",
    "打印服务器",
)
SHAPES = (
    "The {topic} number {n} listens on port {n}.",
    "The {topic} number {n} listens on port {n}",
    "2026-01-{day:02}: the move of {topic} number {n} was completed, all tests passed.",
    "The {topic} number {n} is reset at night. Its logs are kept for a month.",
    "The {topic} number {n} is reset at night. Sefa looks after it.",
    "Never restart the {topic} number {n} on a Friday.",
    "2026-01-{day:02} 完成{topic}第{n}次迁移，旧库已下线。",
)

ONE_TOPIC = tuple(shape for shape in SHAPES if "reset at night" in shape)


class Writer:
    def __init__(self):
        self.store = MemoryStore(2200, 1375)
        self.own = {"memory": [], "user": []}
        self.count = 0

    def text(self, rng):
        self.count += rng.random() < 0.3  # a number comes more than once: doubles, and two of one topic
        shape, topic = rng.choice(rng.choice([SHAPES, ONE_TOPIC])), TOPICS[self.count % len(TOPICS)]
        return shape.format(topic=topic, n=4_000 + self.count, day=1 + self.count % 28)

    def edit(self, rng):
        target = rng.choice(["memory", "memory", "user"])
        own, new = self.own[target], self.text(rng)
        # Hermes' `replace` would write a text that stands already a second time.
        op = rng.choice(["add", "add", "replace", "remove"]) if own and new not in own else "add"
        old = "" if op == "add" else rng.choice(own)
        args = {"add": (new,), "replace": (old, new), "remove": (old,)}[op]
        answer = getattr(self.store, op)(target, *args)
        if answer["success"]:
            if old:
                own.remove(old)
            if op != "remove" and new not in own:
                own.append(new)
        return {
            "target": target,
            "added": new if answer["success"] and op != "remove" else None,
            "dropped": old or None if answer["success"] else None,
            "drift": "drift_backup" in answer,
        }

    def run(self, edits, seed):
        rng = random.Random(seed)
        done = []
        for _ in range(edits):
            done.append(self.edit(rng))
            time.sleep(rng.uniform(0, 0.02))
        return done


def main():
    writer = Writer()
    print("ready", flush=True)
    for line in sys.stdin:
        edits, seed = map(int, line.split())
        answer = {"edits": writer.run(edits, seed)} if edits else {"edits": []}
        answer["drift"] = {target: writer.store._detect_external_drift(target) for target in writer.own}
        writer.store.load_from_disk()
        answer["entries"] = {target: writer.store._entries_for(target) for target in writer.own}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
