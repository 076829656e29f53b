# Objects, json, hashing, threads, subprocesses, exceptions, recursion.
import concurrent.futures
import hashlib
import json
import re
import signal
import subprocess
import sys
import threading


def tree(depth):
    return None if depth == 0 else [tree(depth - 1), tree(depth - 1), depth]


def worker(number):
    state, total = number + 1, 0
    for _ in range(20000):
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        total += state >> 60
        try:
            if state % 97 == 0:
                raise ValueError(total)
        except ValueError as error:
            total ^= error.args[0]
    return total


text = open("text").read()
words = {}
for word in re.findall(r"[a-z]+", text):
    words[word] = words.get(word, 0) + 1
print(sorted(words.items(), key=lambda item: (-item[1], item[0]))[:10])
print(hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest())
print(hashlib.md5(json.dumps(tree(14)).encode()).hexdigest())
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(list(pool.map(worker, range(16))))
ended = []
for number in range(200):
    thread = threading.Thread(target=ended.append, args=(number,))
    thread.start()
    thread.join()
print(sum(ended))
for number in range(5):
    print(subprocess.run(["sh", "-c", f"echo child {number}; exit {number}"], capture_output=True, text=True))
rang = []
signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
while len(rang) < 10:
    sum(range(1000))
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(rang) >= 10)
print("to standard error", file=sys.stderr)
sys.exit(3)
