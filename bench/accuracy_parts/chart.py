"""A small chart per data set: skill against the number of training rows, private and not."""
import math

WIDTH, HEIGHT, LEFT, TOP, COLUMNS = 300, 200, 44, 30, 3
STYLE = """<style>
text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.axis{stroke:#888;fill:none}
.zero{stroke:#888;stroke-dasharray:4 3}
.reference{stroke:#888;fill:none;stroke-width:2}.private{stroke:#0b6fb8;fill:none;stroke-width:2}.dot{fill:#0b6fb8}
.back{fill:#fff}
@media(prefers-color-scheme:dark){.back{fill:#16181c}text{fill:#ddd}.private{stroke:#5ab0f0}.dot{fill:#5ab0f0}}
</style>"""


def median(values):
    return sorted(values)[len(values) // 2]


class Panel:
    def __init__(self, index, curves):
        self.x0 = (index % COLUMNS) * WIDTH + LEFT
        self.y0 = (index // COLUMNS) * HEIGHT + TOP + 24
        self.wide, self.high = WIDTH - LEFT - 16, HEIGHT - TOP - 36
        sizes = [n for curve in curves.values() for n, _ in curve]
        self.first, self.last = math.log10(min(sizes)), math.log10(max(sizes))
        self.top = max(0.01, 1.1 * max(median(skill) for curve in curves.values() for _, skill in curve))
        self.bottom = -0.25 * self.top

    def at(self, n, skill):
        x = self.x0 + self.wide * (math.log10(n) - self.first) / (self.last - self.first)
        share = (max(skill, self.bottom) - self.bottom) / (self.top - self.bottom)
        return f"{x:.1f},{self.y0 + self.high * (1 - share):.1f}"


def panel(index, name, curves):
    frame = Panel(index, curves)
    zero = frame.at(10 ** frame.first, 0).split(",")[1]
    right, low = frame.x0 + frame.wide, frame.y0 + frame.high
    parts = [f'<text class="title" x="{frame.x0}" y="{frame.y0 - 8}">{name}</text>',
             f'<path class="axis" d="M{frame.x0} {frame.y0}V{low}H{right}"/>',
             f'<path class="zero" d="M{frame.x0} {zero}H{right}"/>',
             f'<text x="{frame.x0 - 6}" y="{float(zero) + 4}" text-anchor="end">0</text>',
             f'<text x="{frame.x0 - 6}" y="{frame.y0 + 8}" text-anchor="end">{frame.top:.2g}</text>']
    for power in range(math.ceil(frame.first), math.floor(frame.last) + 1):
        x = frame.at(10 ** power, 0).split(",")[0]
        parts.append(f'<text x="{x}" y="{low + 15}" text-anchor="middle">{10 ** power:,}</text>')
    for model, curve in curves.items():
        points = [frame.at(n, median(skill)) for n, skill in curve]
        parts.append(f'<polyline class="{"private" if model == 1 else "reference"}" points="{" ".join(points)}"/>')
        if model == 1:
            parts += ['<circle class="dot" r="3" cx="{}" cy="{}"/>'.format(*point.split(",")) for point in points]
    return parts


def drawn(curves):
    width, height = COLUMNS * WIDTH, math.ceil(len(curves) / COLUMNS) * HEIGHT + TOP + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
             "<title>Skill against training rows, per data set</title>", STYLE,
             f'<rect class="back" width="{width}" height="{height}"/>',
             f'<text x="{LEFT}" y="20">Skill (1 - loss / loss of a constant) against training rows; blue: epsilon = 1, '
             "grey: without privacy; cut off below the axis</text>"]
    for index, (name, models) in enumerate(curves):
        parts += panel(index, name, models)
    return "\n".join([*parts, "</svg>"]) + "\n"
