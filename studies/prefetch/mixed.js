// A mixed program in ECMAScript 5: compiles generated source; strings, patterns, objects, sorting, closures, JSON, exceptions, dates.
// `rounds` is defined in front of it (run.sh).
var seed = 12345, total = 0, words = [], i, j, round;
function rnd(n) { seed = (seed * 16807) % 2147483647; return seed % n + 1; }
for (i = 0; i < 200; ++i) {
  var letters = [];
  for (j = rnd(8) + 2; j > 0; --j) letters.push(String.fromCharCode(97 + rnd(26) - 1));
  words.push(letters.join(""));
}
function word() { return words[rnd(200) - 1]; }
function Account(name) { this.name = name; this.sum = 0; this.log = []; }
Account.prototype.add = function (v) { this.sum += v; this.log.push(v); return this; };
Account.prototype.toString = function () { return this.name + "=" + this.sum.toFixed(2); };
Object.defineProperty(Account.prototype, "last", { get: function () { return this.log[this.log.length - 1]; } });
function source(n) {
  var lines = [], k;
  for (k = 0; k < n; ++k) {
    lines.push("var f_" + word() + k + " = function (a, b) { if (a > b) { return a - " + rnd(99) + "; } return (a + b) % " + rnd(99) + "; };");
  }
  lines.push("var t = []; for (var q = 0; q < 10; q++) { t[q] = q * q / 3 | 0; } switch (n % 3) { case 0: return t.length; case 1: return t[3] ^ 5; default: return ~t[7]; }");
  return lines.join("\n");
}
for (round = 1; round <= rounds; ++round) {
  total += new Function("n", source(12))(round);
  var text = [];
  for (i = 0; i < 40; ++i) text.push(word());
  var line = text.join(" ");
  line.replace(/([a-m])([a-z]*)/g, function (all, a, b) { total += b.length; return a.toUpperCase() + b; });
  line = line.split(" ").map(function (w) { return w.charAt(0).toUpperCase() + w.substring(1); }).filter(function (w) { return w.length > 4; }).join("-");
  total += line.search(/[aeiou]{2}/) + line.lastIndexOf("-") + line.toLowerCase().indexOf(words[3].slice(1, 3));
  var match, pattern = /(\w)(\w+?)-/g;
  while ((match = pattern.exec(line)) !== null && match.index < 100) total += match[2].length;
  var accounts = [];
  for (i = 0; i < 20; ++i) accounts.push(new Account(word() + i).add(rnd(100)).add(rnd(10) / 3));
  accounts.sort(function (a, b) { return a.name < b.name ? -1 : a.name > b.name ? 1 : 0; });
  total += accounts[0].sum + accounts[1].last + String(accounts[2]).length;
  total += accounts.reduce(function (sum, a) { return sum + a.log.length; }, 0) + accounts.slice(3, 9).concat(accounts.splice(2, 4)).length;
  var data = { name: word(), list: [1, 2.5, "three", { a: 1, b: [true, false, null] }], n: round, account: accounts[0] };
  var back = JSON.parse(JSON.stringify(data));
  total += back.list[1] + JSON.stringify(back, null, 1).length + Object.keys(back).length;
  try {
    if (round % 3 === 0) throw new RangeError("round " + round);
    total += undefinedFunction(round);
  } catch (e) {
    total += e instanceof RangeError ? e.message.length : 3;
  } finally {
    total += 1;
  }
  var makers = [];
  for (i = 0; i < 8; ++i) makers.push((function (k) { return function (x) { return x + k; }; })(i));
  total += makers.reduce(function (x, f) { return f(x); }, round);
  total += Math.floor(Math.sqrt(round) * 10) + Math.max(round, 7, 3) + parseInt("z" + round, 36) % 7 + parseFloat("1.5e1x") + Number("0x1f");
  total += new Date(86400000 * round).toISOString().length + (round * 1.37).toPrecision(5).length + (round / 7).toString(2).length;
  var counts = {}, key;
  for (i = 0; i < 30; ++i) counts[word()] = (counts[word()] || 0) + i;
  for (key in counts) { if (counts.hasOwnProperty(key)) total += counts[key]; delete counts[key]; }
  total += encodeURIComponent(line).length + decodeURIComponent("a%20b%C3%A9").length + "  trim ".trim().length;
  total = total % 1000003;
}
print(total.toFixed(3));
