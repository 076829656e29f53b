// Hot functions that are compiled while they run, dropped again, and collected; workers, timers, children.
'use strict';
const fs = require('fs');
const crypto = require('crypto');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { execFileSync } = require('child_process');

function mix(rounds, seed) {
  let state = seed >>> 0, odd = 0;
  for (let i = 0; i < rounds; ++i) {
    state ^= state << 13; state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5; state >>>= 0;
    if (state & 3) odd += state % 7;
  }
  return odd;
}
class Shape { area() { return 0; } }
class Square extends Shape { constructor(a) { super(); this.a = a; } area() { return this.a * this.a; } }
class Circle extends Shape { constructor(r) { super(); this.r = r; } area() { return 3 * this.r * this.r; } }

if (!isMainThread) {
  parentPort.postMessage(mix(2000000, workerData));
} else {
  console.log(mix(5000000, 1));
  let area = 0;
  for (let i = 0; i < 300000; ++i) area = (area + (i % 3 ? new Square(i % 10) : new Circle(i % 10)).area()) % 1000003;
  console.log(area);
  for (let i = 0; i < 300; ++i) {
    const f = new Function('x', `let s = ${i}; for (let j = 0; j < 2000; ++j) s = (s * 31 + x + j) % 65521; return s;`);
    area = (area + f(i)) % 1000003;
  }
  console.log(area);
  const words = new Map();
  for (const word of fs.readFileSync('text', 'utf8').match(/[a-z]+/g)) words.set(word, (words.get(word) || 0) + 1);
  console.log([...words].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 10).join(' '));
  console.log(crypto.createHash('sha256').update(JSON.stringify([...words])).digest('hex'));
  console.log(execFileSync('sh', ['-c', 'echo child']).toString().trim());
  const workers = [2, 3, 4].map((seed) => new Promise((resolve) => {
    new Worker(__filename, { workerData: seed }).on('message', resolve);
  }));
  Promise.all(workers).then((sums) => {
    console.log(sums.join(' '));
    let ticks = 0;
    const timer = setInterval(() => { if (++ticks === 20) { clearInterval(timer); console.log('ticks'); process.exitCode = 6; } }, 2);
  });
}
