"""Records per second of several runs as one picture (SVG), side by side."""

from html import escape

PANEL_WIDTH, PANEL_HEIGHT = 560, 300
LEFT, TOP, BETWEEN, BELOW = 70, 70, 50, 90
COLOURS = ("#3b6ea5", "#e0a030", "#5a9e6f", "#a05195", "#888888")
STEPS = (1, 2, 2.5, 5, 10)


class Panel:
    """One run. `series`: {name: records in each slice of time}."""

    def __init__(self, title, slice_s, series):
        self.title = title
        self.slice_s = slice_s
        self.series = series

    def slices(self):
        return max((len(x) for x in self.series.values()), default=0)

    def stacked(self):
        """[(name, records per second below it, and with it)] by slice."""
        below = [0.0] * self.slices()
        out = []
        for name, values in self.series.items():
            above = [low + (values[i] if i < len(values) else 0) / self.slice_s
                     for i, low in enumerate(below)]
            out.append((name, below, above))
            below = above
        return out

    def highest(self):
        layers = self.stacked()
        return max(layers[-1][2], default=0) if layers else 0


def step_for(highest, marks=5):
    """A round distance between marks of an axis."""
    least = max(highest, 1e-9) / marks
    power = 1.0
    while power * 10 <= least:
        power *= 10
    while power > least:
        power /= 10
    return next(power * x for x in STEPS if power * x >= least)


def label(value):
    return f"{value:,.10g}" if value != int(value) else f"{int(value):,}"


class Axes:
    """Where values are in one panel; scales are those of all."""

    def __init__(self, left, seconds, rate):
        self.left = left
        self.seconds = max(seconds, 1e-9)
        self.rate = max(rate, 1e-9)

    def x(self, second):
        return round(self.left + PANEL_WIDTH * second / self.seconds, 1)

    def y(self, rate):
        return round(TOP + PANEL_HEIGHT * (1 - rate / self.rate), 1)


def text(x, y, words, anchor="middle", size=12, more=""):
    return (f'<text x="{x}" y="{y}" text-anchor="{anchor}" '
            f'font-size="{size}"{more}>{escape(words)}</text>')


def draw_axes(axes):
    out = []
    step = step_for(axes.rate)
    at = 0.0
    while at <= axes.rate * 1.0001:
        y = axes.y(at)
        out.append(f'<line x1="{axes.left}" x2="{axes.left + PANEL_WIDTH}" '
                   f'y1="{y}" y2="{y}" stroke="#dddddd"/>')
        out.append(text(axes.left - 8, y + 4, label(at), "end"))
        at += step
    step = step_for(axes.seconds, 8)
    at = 0.0
    while at <= axes.seconds * 1.0001:
        x = axes.x(at)
        foot = TOP + PANEL_HEIGHT
        out.append(f'<line x1="{x}" x2="{x}" y1="{foot}" y2="{foot + 5}" '
                   'stroke="#444444"/>')
        out.append(text(x, foot + 20, label(at)))
        at += step
    out.append(text(axes.left + PANEL_WIDTH / 2, TOP + PANEL_HEIGHT + 38,
                    "seconds"))
    return out


def draw_layer(axes, slice_s, below, above, colour):
    """An area with steps, as each slice has one value."""
    def steps(values):
        return [(axes.x(second), axes.y(value))
                for i, value in enumerate(values)
                for second in (i * slice_s, (i + 1) * slice_s)]
    points = " ".join(f"{x},{y}"
                      for x, y in steps(above) + steps(below)[::-1])
    return f'<polygon points="{points}" fill="{colour}" fill-opacity="0.85"/>'


def draw_panel(panel, axes):
    out = [text(axes.left + PANEL_WIDTH / 2, TOP - 18, panel.title, size=15,
                more=' font-weight="bold"')]
    out += draw_axes(axes)
    for i, (_, below, above) in enumerate(panel.stacked()):
        out.append(draw_layer(axes, panel.slice_s, below, above,
                              COLOURS[i % len(COLOURS)]))
    out.append(f'<rect x="{axes.left}" y="{TOP}" width="{PANEL_WIDTH}" '
               f'height="{PANEL_HEIGHT}" fill="none" stroke="#444444"/>')
    return out


def picture(title, panels):
    """The text of an SVG file. Panels share both scales, so that what is higher
    is more and what is wider took longer."""
    seconds = max(p.slices() * p.slice_s for p in panels)
    rate = max(p.highest() for p in panels)
    width = LEFT + len(panels) * (PANEL_WIDTH + BETWEEN) + LEFT // 2
    height = TOP + PANEL_HEIGHT + BELOW
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
           f'height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif">',
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
           text(width / 2, 26, title, size=18)]
    names = []
    for i, panel in enumerate(panels):
        axes = Axes(LEFT + i * (PANEL_WIDTH + BETWEEN + LEFT // 3), seconds,
                    rate)
        out += draw_panel(panel, axes)
        names += [name for name in panel.series if name not in names]
    for i, name in enumerate(names):
        x, y = LEFT + i * 190, height - 26
        out.append(f'<rect x="{x}" y="{y}" width="14" height="14" '
                   f'fill="{COLOURS[i % len(COLOURS)]}"/>')
        out.append(text(x + 20, y + 12, name, "start"))
    return "\n".join([*out, "</svg>", ""])
