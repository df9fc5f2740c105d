"""Counts tiles."""

def tiles(width, height):
    # TODO: overlap
    return width * height * 12
