#!/usr/bin/python3
"""train_tree.py ROWS OUT: trains the tree that chooses a block's source, and writes it as C++.

ROWS: what hbbp.sh train collects, one block a line: program, profile, instructions, samples, starts, is_by_instructions, distance, aborts,
exact, by_branches, by_samples. The label is the source whose count is nearer the exact one; a block weighs as much as the two sources
differ in distance from it, as a share of its program's instructions, so that a program counts as much as another. Blocks whose
sources are equally far do not count. A leaf takes the source that is nearer in most of the programs: one hot block of one program makes
no rule. Needs python3-sklearn (Debian). The same rows give the same tree.
"""
import csv
import sys

import numpy
from sklearn.tree import DecisionTreeClassifier

FROZEN = ["instructions", "samples", "starts", "is_by_instructions"]  # every profile has these
TRIED = FROZEN + ["distance", "aborts"]  # these need whole traces
COLUMN = {"instructions": 2, "samples": 3, "starts": 4, "is_by_instructions": 5, "distance": 6, "aborts": 7}
DEPTH = 3


def fit(rows, names, which):
    data = numpy.array([[float(row[COLUMN[name]]) for name in names] for row in rows])
    exact, branches, samples = (numpy.array([float(row[i]) for row in rows]) for i in (8, 9, 10))
    gain = abs(branches - exact) - abs(samples - exact)  # above 0: samples are nearer
    used = (gain != 0) & which
    tree = DecisionTreeClassifier(max_depth=DEPTH, min_samples_leaf=30, random_state=0)
    tree.fit(data[used], gain[used] > 0, sample_weight=abs(gain[used]))
    leaf = tree.apply(data)
    programs = numpy.array([row[0] for row in rows])
    by_samples = {}
    for one in set(leaf[used]):
        here = used & (leaf == one)
        gains = [float(gain[here & (programs == program)].sum()) for program in sorted(set(programs[here]))]
        by_samples[one] = 2 * sum(of_program > 0 for of_program in gains) > len(gains)
    chosen = numpy.where([by_samples.get(one, False) for one in leaf], samples, branches)
    errors = [float(sum(abs(count - exact)[which])) for count in (samples, branches, chosen)]
    return tree, by_samples, errors, int(used.sum())


def as_cpp(tree, by_samples, names, node, depth):
    inner = tree.tree_
    pad = "  " * depth
    if inner.children_left[node] == inner.children_right[node]:
        source = "kSamples" if by_samples[node] else "kBranches"
        return f"{pad}return CountSource::{source};\n"
    name = names[inner.feature[node]]
    test = "!features.is_by_instructions" if name == "is_by_instructions" else f"features.{name} <= {inner.threshold[node]:.6g}"
    left = as_cpp(tree, by_samples, names, inner.children_left[node], depth + 1)
    right = as_cpp(tree, by_samples, names, inner.children_right[node], depth)
    if left.strip() == right.strip():
        return right
    return f"{pad}if ({test}) {{\n{left}{pad}}}\n{right}"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: train_tree.py ROWS OUT")
    with open(sys.argv[1], newline="") as file:
        rows = list(csv.reader(file))
    by_instructions = numpy.array([row[COLUMN["is_by_instructions"]] == "1" for row in rows])
    by_branches = numpy.array([row[1].startswith("branches") for row in rows])
    by_time = ~(by_instructions | by_branches)
    everything = numpy.ones(len(rows), dtype=bool)
    for title, names, which in (
        ("clock, with features of whole traces", TRIED, by_time),
        ("clock", FROZEN, by_time),
        ("instructions", FROZEN, by_instructions),
        ("instructions, by the length alone", ["instructions"], by_instructions),
        ("taken branches", FROZEN, by_branches),
        ("all, frozen", FROZEN, everything),
    ):
        tree, by_samples, errors, used = fit(rows, names, which)
        print(f"\n{title}: {used} blocks; error of samples, branches, tree, summed over programs: " + ", ".join(f"{e:.4f}" for e in errors))
        print("importance: " + ", ".join(f"{n} {i:.3f}" for n, i in zip(names, tree.feature_importances_)))
        print(as_cpp(tree, by_samples, names, 0, 1), end="")
    programs = ", ".join(sorted({row[0] for row in rows}))
    body = as_cpp(tree, by_samples, FROZEN, 0, 1)
    unused = "" if "features." in body else "(void)features;\n"
    with open(sys.argv[2], "w") as file:
        file.write(
            "// Made by studies/trust/train_tree.py: " + f"{used} blocks of {programs}. Do not edit.\n"
            '#include "toolchain/code/block_counts.h"\n\nnamespace softlbr::toolchain {\n\n'
            "CountSource CountSourceOf(const BlockFeatures& features) {\n" + unused + body + "}\n\n}  // namespace softlbr::toolchain\n"
        )


main()
