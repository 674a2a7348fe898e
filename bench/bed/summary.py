"""Tables of what a comparison gives, from its records: one for each fit of each program.

Differences are paired: the same set, split, rows, epsilon and loss. They are averaged within a family of sets first, so
that a standard error is that of as many independent numbers as there are families."""
import collections
import re
import statistics

FLOOR = -1.0  # a worse skill counts as this, so that no mean is that of a single fit
WORST = 8
SKILLS = {"squared": ("skill", "mae"), "absolute": ("skill",), "logistic": ("skill", "auc"), "poisson": ("skill",)}
NAMES = {("squared", "skill"): "R^2", ("squared", "mae"): "MAE skill", ("logistic", "auc"): "AUC"}


def pairs(records):
    """Records of old and new of the same fit, by (loss, rows, epsilon)."""
    found = collections.defaultdict(dict)
    for record in records:
        place = (record["loss"], record["rows"], record["epsilon"])
        found[place].setdefault((record["set"], record["split"]), {})[record["program"]] = record
    return {place: [fits for fits in cell.values() if len(fits) == 2] for place, cell in sorted(found.items())}


def floored(record, metric):
    return max(record[metric], FLOOR)


def clustered(fits, value):
    """Mean and standard error over families of the mean within a family, and the number of families."""
    families = collections.defaultdict(list)
    for fit in fits:
        families[fit["old"]["family"]].append(value(fit))
    means = [statistics.fmean(values) for values in families.values()]
    error = statistics.stdev(means) / len(means) ** 0.5 if len(means) > 1 else None
    return statistics.fmean(means), error, len(means)


def compare(loss, fits):
    """One cell of the comparison as a dictionary of numbers."""
    both = [f for f in fits if not any("error" in f[p] for p in ("old", "new"))]
    cell = {"fits": len(both), "failed": {p: sum("error" in f[p] for f in fits) for p in ("old", "new")}, "metrics": {}}
    if not both:
        return cell
    for metric in SKILLS[loss]:
        difference, error, families = clustered(both, lambda f: floored(f["new"], metric) - floored(f["old"], metric))
        cell["metrics"][metric] = {
            "old": clustered(both, lambda f: floored(f["old"], metric))[0],
            "new": clustered(both, lambda f: floored(f["new"], metric))[0],
            "difference": difference, "standard_error": error, "families": families}
    for program in ("old", "new"):
        skills = [f[program]["skill"] for f in both]
        totals = [f[program]["total"] for f in both]
        cell[program] = {
            "below_01": sum(s < -0.01 for s in skills), "below_02": sum(s < -0.02 for s in skills),
            "total": statistics.median(totals), "total_within_5": statistics.fmean(abs(t - 1) <= 0.05 for t in totals),
            "same_terms": stability([f[program] for f in both]),
            "seconds": sum(f[program]["seconds"] for f in both)}
    return cell


def stability(records):
    """Mean over sets of the share of runs that have the set's most frequent terms."""
    terms = collections.defaultdict(list)
    for record in records:
        terms[record["set"]].append(record["terms"])
    return statistics.fmean(collections.Counter(t).most_common(1)[0][1] / len(t) for t in terms.values())


def error_text(error):
    return "one family" if error is None else f"{error:.4f}"


def rows_text(rows):
    return "all" if rows == 0 else str(rows)


def text(cells):
    lines = []
    for loss in SKILLS:
        of_loss = {place: cell for place, cell in cells.items() if place[0] == loss and cell["metrics"]}
        for metric in SKILLS[loss] if of_loss else ():
            name = NAMES.get((loss, metric), "skill")
            lines += [f"\n{loss}: {name} on test rows (mean over families; below {FLOOR:g} counts as {FLOOR:g})",
                      "  rows     eps   fits    old     new    new - old   (s.e.)"]
            for (_, rows, epsilon), cell in of_loss.items():
                m = cell["metrics"][metric]
                lines.append(f"  {rows_text(rows):5} {epsilon:6g} {cell['fits']:6} {m['old']:7.4f} {m['new']:7.4f}"
                             f"   {m['difference']:+.4f}  ({error_text(m['standard_error'])})")
        if of_loss:
            lines += [f"\n{loss}: other figures, old/new",
                      "  rows     eps   below constant: .01       .02   failed        total  within 5 %   same terms    time"]
        for (_, rows, epsilon), cell in of_loss.items():
            old, new, failed = cell["old"], cell["new"], cell["failed"]
            lines.append("  ".join([
                f"  {rows_text(rows):5} {epsilon:6g}", f"{old['below_01']:14}/{new['below_01']:<4}",
                f"{old['below_02']:4}/{new['below_02']:<4}", f"{failed['old']:3}/{failed['new']:<3}",
                f"{old['total']:5.3f}/{new['total']:.3f}", f"{old['total_within_5']:.2f}/{new['total_within_5']:.2f}",
                f"  {old['same_terms']:.2f}/{new['same_terms']:.2f}", f"x{new['seconds'] / old['seconds']:5.2f}"]))
    return "\n".join(lines)


def plain(message):
    """A message without the names and numbers of one fit."""
    return re.sub(r"'[^']*'", "'..'", re.sub(r"\d+(\.\d+)?", "#", message))[:140]


def worst(paired):
    """The fits with the lowest skill of each program, and those where the new one loses most."""
    both = [f for fits in paired.values() for f in fits if not any("error" in f[p] for p in ("old", "new"))]
    orders = {"worst of old": lambda f: f["old"]["skill"], "worst of new": lambda f: f["new"]["skill"],
              "new worse than old": lambda f: floored(f["new"], "skill") - floored(f["old"], "skill")}
    lines = []
    for title, order in orders.items():
        lines += [f"\n{title}:   loss, rows, epsilon, set, split: skill old, new"]
        for fit in sorted((f for f in both if order(f) < 0), key=order)[:WORST]:
            r = fit["old"]
            lines.append(f"  {r['loss']:9} {rows_text(r['rows']):5} {r['epsilon']:5g}  {r['set']}, {r['split']}: "
                         f"{r['skill']:.3f}, {fit['new']['skill']:.3f}")
    errors = collections.Counter(f"{p}: {plain(f[p]['error'])}" for fits in paired.values() for f in fits
                                 for p in ("old", "new") if "error" in f[p])
    lines += ["\nfailed fits:"] * bool(errors) + [f"  {count} x {error}" for error, count in errors.most_common(WORST)]
    return "\n".join(lines)
