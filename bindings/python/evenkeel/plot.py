"""Pictures of parts and of journals, by matplotlib, which is imported when it is used.

    ek.plot.domains(points, ek.partition(points, 12))
    ek.plot.loads("run.journal")
    matplotlib.pyplot.show()
"""

import os

import numpy as np


def _new_axes():
    from matplotlib import pyplot
    return pyplot.figure().add_subplot()


def _neighbours(points):
    """Pairs of points that are beside each other."""
    from matplotlib.tri import Triangulation
    try:
        return Triangulation(*points.T).edges
    except (ValueError, RuntimeError):  # fewer than three points, or all on a line
        order = np.lexsort(points.T)
        return np.stack([order[:-1], order[1:]], axis=1)


def domains(points, parts, ax=None):
    """Draws points of the shape (count, 2) in the colours of their parts, and returns the axes. Ten
    parts or fewer have a colour each; of more parts, those that touch have different colours."""
    points, parts = np.asarray(points), np.asarray(parts)
    if points.ndim != 2 or points.shape[1] != 2 or parts.shape != points.shape[:1]:
        raise ValueError(f"points have the shape {points.shape} instead of (count, 2), or parts "
                         f"have the shape {parts.shape} instead of (count,).")
    names, part = np.unique(parts, return_inverse=True)
    some = np.arange(0, len(points), 1 + len(points) // 100_000)
    beside = [set() for _ in names]
    for a, b in np.unique(part[some][_neighbours(points[some])], axis=0):
        beside[a].add(b)
        beside[b].add(a)
    colour, uses = np.full(len(names), -1), np.zeros(10, dtype=int)
    for p in sorted(range(len(names)), key=lambda p: -len(beside[p])):
        free = set(range(10)) - {colour[q] for q in beside[p]} or range(10)
        colour[p] = min(free, key=lambda c: (uses[c], c))
        uses[colour[p]] += 1
    ax = ax or _new_axes()
    ax.scatter(*points.T, c=colour[part], cmap="tab10", vmin=0, vmax=9, linewidths=0,
               s=min(20, max(1, 50_000 / max(1, len(points)))))
    ax.set_aspect("equal")
    return ax


def loads(journal, ax=None):
    """Draws lambda, the greatest load over the average one, at the looks of a journal, the load of
    each rank, and a line for each rebalance that made new domains. Returns the axes. `journal` is a
    path, or the array of read_journal()."""
    if isinstance(journal, (str, os.PathLike)):
        from . import read_journal
        journal = read_journal(journal)
    looks = journal[np.isfinite(journal.lambda_)]
    if len(looks) == 0:
        raise ValueError("The journal has no look with loads.")
    looks = looks[np.argsort(looks.step)]
    ax = ax or _new_axes()
    if "per_rank" in looks.dtype.names:
        relative = looks.per_rank / looks.per_rank.mean(axis=1, keepdims=True)
        ax.plot(looks.step, relative, color="0.7", linewidth=0.8)[0].set_label("each rank")
    ax.plot(looks.step, looks.lambda_, color="C0", label="lambda")
    made = journal.rebalanced_at[np.isfinite(journal.rebalanced_at)]
    ax.vlines(made, 0, 1, transform=ax.get_xaxis_transform(), color="C3", linestyles="dotted",
              label="rebalance")
    ax.set_xlabel("step")
    ax.set_ylabel("load / average load")
    ax.legend()
    return ax
