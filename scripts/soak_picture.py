"""What was measured over time as one picture (SVG) each: lines in one panel."""

from migrate_picture import (BELOW, COLOURS, LEFT, PANEL_HEIGHT, PANEL_WIDTH,
                             TOP, Axes, draw_axes, text)


def picture(title, unit, series):
    """`series`: {name: [(second, value)]}; the text of an SVG file."""
    seconds = max((x[-1][0] for x in series.values() if x), default=1)
    highest = max((v for x in series.values() for _, v in x), default=1)
    axes = Axes(LEFT + 20, seconds, highest * 1.05)
    width, height = LEFT + 20 + PANEL_WIDTH + LEFT, TOP + PANEL_HEIGHT + BELOW
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
           f'height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif">',
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
           text(width / 2, 28, title, size=18),
           text(axes.left, TOP - 14, unit)]
    out += draw_axes(axes)
    for i, (name, points) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        line = " ".join(f"{axes.x(s)},{axes.y(v)}" for s, v in points)
        out.append(f'<polyline points="{line}" fill="none" '
                   f'stroke="{colour}" stroke-width="1.5"/>')
        x, y = LEFT + i * 150, height - 26
        out.append(f'<rect x="{x}" y="{y}" width="14" height="14" '
                   f'fill="{colour}"/>')
        out.append(text(x + 20, y + 12, name, "start"))
    return "\n".join([*out, "</svg>", ""])
