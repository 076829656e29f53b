#!/usr/bin/env python3
"""Compares the shares of `softlbr report` with those of perf and callgrind, function by function.

Use: python3 bench/report_shares.py [BUILD [PROGRAM...]]      BUILD: a built tree, default build/release

Time: `softlbr report` and `perf report`, both of user code sampled by a clock of the CPU time. Instructions: `softlbr report` and
callgrind, which counts every one, on a smaller input of the same kind. Functions of a module that have no name in a symbol table are one
row, because each of the three has another idea of where they begin and end. Prints a Markdown table: for each program the largest
difference of time and of instructions, in points, and the function that has it. Exit code 1: a difference is above LIMIT points, and two
standard errors of the samples in addition; 77: perf or valgrind is missing. The rate is low, because a recorded program finds its caches as
the samples leave them. The time of Debian's programs is that of their own machine code: nothing is built for this, except the
programs of studies/trust, if they are built.
"""
import bisect, json, os, re, shutil, subprocess, sys, tempfile
from collections import defaultdict

LIMIT = 2.0
HERE = os.path.dirname(os.path.abspath(__file__))
arguments = sys.argv[1:]
BUILD = os.path.abspath(arguments.pop(0) if arguments else os.path.join(HERE, '../build/release'))
SOFTLBR = BUILD + '/bin/softlbr'

# Name; command; its long argument; the short one, for callgrind. The argument of a script is the copies of the text that it reads.
SCRIPT = 'for ((i = 0; i < $0; ++i)); do a="x$i"; s=$((s + ${#a} % 7)); case $a in *77*) s=$((s * 3 % 1000003)) ;; esac; done'
PROGRAMS = [
    ('perl', 'perl words.pl', 40, 1),
    ('python3', '/usr/bin/python3 words.py', 40, 1),
    ('lua', 'lua5.4 words.lua', 40, 1),
    ('bash', f"bash -c '{SCRIPT}' {{n}}", 2000000, 20000),
    ('event_network', BUILD + '/bin/trust/event_network {n}', 160000000, 1000000),
    ('particle_steps', BUILD + '/bin/trust/particle_steps {n}', 5000000, 10000),
]


def run(command, **more):
    return subprocess.run(['bash', '-c', command], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, **more).stdout


def plain(name):
    """A C++ function without its namespace's brackets, template arguments, parameters and result: the tools differ in them."""
    name = name.replace('(anonymous namespace)::', '')
    while (shorter := re.sub(r'<[^<>]*>', '', name)) != name: name = shorter
    return re.sub(r'\(.*', '', name).split(' ')[-1]


def key(module, name):
    """Unnamed code of a module is one row. Versions of a name are left out."""
    module = os.path.basename(module)
    if name is None or re.match(r'(0x|\[|\(no symbols|\?\?\?)|^[0-9a-f]{8,}$', name): return module, '(no symbols)'
    name = re.sub(r'^(__GI_|__libc_|_)+', '', plain(name))
    # valgrind's CPU has no AVX-512, so libc chooses other variants there.
    name = re.sub(r'^((?:mem|str)[a-z]+)_(sse|avx|evex).*', r'\1', name)
    name = re.sub(r"@.*|'\d+$|\.(isra|part|constprop|cold|lto_priv)\.?\d*|\(.*", '', name)
    return module, {'cfree': 'free'}.get(name, name)  # names of one address, as those with prefixes


def shares(rows):
    total = sum(rows.values()) or 1
    return {name: 100 * count / total for name, count in rows.items()}


def of_softlbr(command):
    run(f'{SOFTLBR} record -q --no-children -F 249 --branches 256 --max-overhead 100% -o p.slbr -- {command}')
    report = json.loads(run(f'{SOFTLBR} report --json p.slbr'))
    time, instructions = defaultdict(float), defaultdict(float)
    for function in report['functions']:
        name = key(function['module'] or '(unknown)', function['name'] if function['kind'] == 'named' else None)
        time[name] += function['samples']
        instructions[name] += function['executed_instructions']
    return shares(time), shares(instructions), report['samples']


def of_perf(command):
    run(f'perf record -q -e cpu-clock:u -F 2000 -o perf.data -- {command}')
    time = defaultdict(float)
    for line in run('perf script -i perf.data -F ip,sym,dso').splitlines():
        found = re.match(r'\s*[0-9a-f]+ (.*) \((.*)\)$', line)
        if found: time[key(found[2], None if found[1] == '[unknown]' else found[1])] += 1
    return shares(time), int(sum(time.values()))


class Symbols:
    """The functions of a file by readelf. callgrind's own names follow calls: code without a name that a function jumps to has the name of
    that function there."""
    def __init__(self, path):
        found = {}
        build_id = re.search(r'Build ID: (..)(\w+)', run(f'readelf -nW "{path}" 2>/dev/null || true'))
        debug = f'/usr/lib/debug/.build-id/{build_id[1]}/{build_id[2]}.debug' if build_id else path
        text = run(f'readelf -sW --dyn-syms "{debug if os.path.exists(debug) else path}" 2>/dev/null || true')
        for line in text.splitlines():
            parts = line.split()
            if len(parts) >= 8 and parts[3] in ('FUNC', 'IFUNC') and parts[6] != 'UND': found.setdefault(int(parts[1], 16), []).append((int(parts[2], 0), parts[7]))
        mangled = sorted({name for names in found.values() for _, name in names})
        said = subprocess.run(['c++filt'], input='\n'.join(mangled), check=True, stdout=subprocess.PIPE, text=True).stdout
        demangled = dict(zip(mangled, said.splitlines()))
        found = {start: [(size, demangled[name]) for size, name in names] for start, names in found.items()}
        self.starts = sorted(found)
        self.at = {start: max(names, key=lambda one: one[0]) for start, names in found.items()}

    def name(self, address):
        place = bisect.bisect_right(self.starts, address) - 1
        if place < 0: return None
        size, name = self.at[self.starts[place]]
        return name if address < self.starts[place] + size else None


def of_callgrind(command):
    run(f'valgrind --tool=callgrind --dump-instr=yes --callgrind-out-file=callgrind.out {command}')
    # Lines of costs are of code of the last object, by address; those behind calls= are of the callee, and not counted here.
    files, by_address, object_, is_call, address = {}, defaultdict(int), '', False, 0
    for line in open('callgrind.out'):
        found = re.match(r'c?ob=\((\d+)\)(?: (.*))?$', line)
        if found:
            if found[2]: files[found[1]] = found[2]
            if line.startswith('ob='): object_ = files[found[1]]
        elif line.startswith('calls='): is_call = True
        elif re.match(r'(0x|[+\-*\d])', line):
            parts = line.split()
            if parts[0].startswith('0x'): address = int(parts[0], 16)
            elif parts[0] != '*': address += int(parts[0], 0)
            if not is_call: by_address[object_, address] += int(parts[2])
            is_call = False
    instructions, symbols = defaultdict(float), {}
    for (file, address), count in by_address.items():
        if file not in symbols: symbols[file] = Symbols(file)
        instructions[key(file, symbols[file].name(address))] += count
    return shares(instructions)


def prepare(command, argument):
    """The command with this argument, or the text of so many copies."""
    if '{n}' in command: return command.replace('{n}', str(argument))
    run(f'for i in $(seq {argument}); do cat inputs/text; done > text')
    return command


def largest(ours, theirs):
    name = max(set(ours) | set(theirs), key=lambda row: abs(ours.get(row, 0) - theirs.get(row, 0)))
    return abs(ours.get(name, 0) - theirs.get(name, 0)), name, ours.get(name, 0), theirs.get(name, 0)


def main():
    if not shutil.which('perf') or not shutil.which('valgrind'):
        print('report_shares: perf and valgrind are needed (linux-perf, valgrind)', file=sys.stderr)
        return 77
    os.environ.update(PYTHONHASHSEED='0', PERL_HASH_SEED='0', LC_ALL='C')
    is_close = True
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run(f'mkdir inputs && {BUILD}/bin/real_programs --inputs inputs 2>/dev/null; cp inputs/* .')
        print('| program | samples: softlbr, perf | functions of 1 % and more | time: largest difference | instructions: largest difference |')
        print('|---|---|---|---|---|')
        for name, command, many, few in PROGRAMS:
            if arguments and name not in arguments: continue
            if not shutil.which(command.split()[0]):
                print(f'report_shares: {name} is left out: not installed, or not built', file=sys.stderr)
                continue
            time, instructions, ours = of_softlbr(prepare(command, many))
            perf_time, theirs = of_perf(prepare(command, many))
            counted = of_callgrind(prepare(command, few))
            rows = []
            for mine, other, samples in ((time, perf_time, (ours, theirs)), (instructions, counted, ())):
                points, row, a, b = largest(mine, other)
                chance = 2 * sum(b * (100 - b) / count for count in samples) ** 0.5
                is_close &= points - chance <= LIMIT
                rows.append(f'{points:.1f}: {row[1]} ({row[0]}) {a:.1f} and {b:.1f}')
            shown = sum(1 for share in perf_time.values() if share >= 1)
            print(f'| {name} | {ours}, {theirs} | {shown} | {rows[0]} | {rows[1]} |', flush=True)
        os.chdir('/')
    return 0 if is_close else 1


sys.exit(main())
