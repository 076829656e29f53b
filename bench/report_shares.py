#!/usr/bin/env python3
"""Compares the shares of `softlbr report` with those of perf and callgrind, function by function.

Use: python3 bench/report_shares.py [BUILD [PROGRAM...]]      BUILD: a built tree, default build/release

Time: `softlbr report` and `perf report`, both of user code sampled by a clock of the CPU time. Instructions: `softlbr report` and
callgrind, which counts every one, on a smaller input of the same kind. Functions of a module that have no name in a symbol table are one
row, because each of the three has another idea of where they begin and end. Prints a Markdown table: for each program the largest
difference of time and of instructions, in points, and the function that has it. Exit code 1: a difference is above LIMIT points; 2:
perf or valgrind is missing. The time of Debian's programs is that of their own machine code: nothing is built for this, except the
programs of studies/trust, if they are built.
"""
import json, os, re, shutil, subprocess, sys, tempfile
from collections import defaultdict

LIMIT = 2.0
HERE = os.path.dirname(os.path.abspath(__file__))
arguments = sys.argv[1:]
BUILD = os.path.abspath(arguments.pop(0) if arguments else os.path.join(HERE, '../build/release'))
SOFTLBR = BUILD + '/bin/softlbr'

# Name; command; the same with less to do, for callgrind. {n}: copies of the usual input.
PROGRAMS = [
    ('perl', 'perl words.pl', 'text', 20, 1),
    ('python3', '/usr/bin/python3 words.py', 'text', 20, 1),
    ('lua', 'lua5.4 words.lua', 'text', 20, 1),
    ('event_network', BUILD + '/bin/trust/event_network', None, 0, 0),
    ('call_chain', BUILD + '/bin/trust/call_chain', None, 0, 0),
    ('particle_steps', BUILD + '/bin/trust/particle_steps', None, 0, 0),
]


def run(command, **more):
    return subprocess.run(command, shell=True, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, **more).stdout


def key(module, name):
    """Unnamed code of a module is one row. Versions and parameters of a name are left out: the tools differ in them."""
    module = os.path.basename(module)
    if name is None or re.match(r'(0x|\[|\(|\?\?\?)|^[0-9a-f]{8,}$', name): return module, '(no symbols)'
    name = re.sub(r'^(__libc_|__GI_|_+)', '', name)  # names of one address
    # valgrind's CPU has no AVX-512, so libc chooses other variants there.
    name = re.sub(r'^((?:mem|str)[a-z]+)_(sse|avx|evex).*', r'\1', name)
    return module, re.sub(r"@.*|'\d+$|\.(isra|part|constprop|cold|lto_priv)\.?\d*|\(.*", '', name)


def shares(rows):
    total = sum(rows.values()) or 1
    return {name: 100 * count / total for name, count in rows.items()}


def of_softlbr(command):
    run(f'{SOFTLBR} record -q --no-children -F 499 --branches 256 --max-overhead 100% -o p.slbr -- {command}')
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


def of_callgrind(command):
    run(f'valgrind --tool=callgrind --callgrind-out-file=callgrind.out {command}')
    # Lines of costs belong to the last object and function; those behind calls= are of the callee, and not counted here.
    names, instructions, object_, function, is_call = {}, defaultdict(float), '', '', False
    for line in open('callgrind.out'):
        found = re.match(r'(ob|fn)=\((\d+)\)(?: (.*))?$', line)
        if found:
            kind, number, text = found.groups()
            if text: names[kind, number] = text
            if kind == 'ob': object_ = names[kind, number]
            else: function = names[kind, number]
        elif line.startswith('cob=') or line.startswith('cfn='):
            found = re.match(r'c(ob|fn)=\((\d+)\) (.*)$', line)
            if found: names[found[1], found[2]] = found[3]
        elif line.startswith('calls='): is_call = True
        elif re.match(r'[+\-*\d]', line):
            if not is_call: instructions[key(object_, function)] += int(line.split()[1])
            is_call = False
    return shares(instructions)


def largest(ours, theirs):
    name = max(set(ours) | set(theirs), key=lambda row: abs(ours.get(row, 0) - theirs.get(row, 0)))
    return abs(ours.get(name, 0) - theirs.get(name, 0)), name, ours.get(name, 0), theirs.get(name, 0)


def main():
    if not shutil.which('perf') or not shutil.which('valgrind'):
        print('report_shares: perf and valgrind are needed (linux-perf, valgrind)', file=sys.stderr)
        return 2
    os.environ.update(PYTHONHASHSEED='0', PERL_HASH_SEED='0', LC_ALL='C')
    is_close = True
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run(f'mkdir inputs && {BUILD}/bin/real_programs --inputs inputs 2>/dev/null; cp inputs/* .')
        print('| program | samples: softlbr, perf | functions of 1 % and more | time: largest difference | instructions: largest difference |')
        print('|---|---|---|---|---|')
        for name, command, text, many, few in PROGRAMS:
            if arguments and name not in arguments: continue
            if not shutil.which(command.split()[0]): continue
            if text: run(f'for i in $(seq {many}); do cat inputs/{text}; done > {text}')
            time, instructions, ours = of_softlbr(command)
            perf_time, theirs = of_perf(command)
            if text: run(f'for i in $(seq {few}); do cat inputs/{text}; done > {text}')
            counted = of_callgrind(command)
            rows = []
            for mine, other in ((time, perf_time), (instructions, counted)):
                points, row, a, b = largest(mine, other)
                is_close &= points <= LIMIT
                rows.append(f'{points:.1f}: {row[1]} ({row[0]}) {a:.1f} and {b:.1f}')
            shown = sum(1 for share in perf_time.values() if share >= 1)
            print(f'| {name} | {ours}, {theirs} | {shown} | {rows[0]} | {rows[1]} |', flush=True)
        os.chdir('/')
    return 0 if is_close else 1


sys.exit(main())
