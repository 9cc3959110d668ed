// A canvas with a time axis: the present at the right edge, sharp on every screen.

const GRID = 5_000; // milliseconds between the vertical lines

export class TimeCanvas {
  #canvas;
  #context;
  width = 0; // CSS pixels
  height = 0;

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    new ResizeObserver(() => this.#fit()).observe(canvas);
    this.#fit();
  }

  #fit() {
    this.width = this.#canvas.clientWidth;
    this.height = this.#canvas.clientHeight;
    this.#canvas.width = Math.round(this.width * devicePixelRatio);
    this.#canvas.height = Math.round(this.height * devicePixelRatio);
  }

  /** Milliseconds that the width shows: about 30 pixels to a second, but at least 10 s. */
  get span() {
    return Math.max(10_000, Math.min(30_000, (this.width / 30) * 1_000));
  }

  /** Clears it and draws the grid; returns the context and `x(time)`. */
  begin(now, colors) {
    const context = this.#context;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const x = (time) => this.width - ((now - time) / this.span) * this.width;
    context.fillStyle = colors.grid;
    for (let time = Math.floor(now / GRID) * GRID; x(time) > 0; time -= GRID) {
      context.fillRect(Math.round(x(time)), 0, 1, this.height);
    }
    return { context, x };
  }
}

/** The colors of the style sheet, read again whenever the scheme changes. */
export function readColors(kinds) {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  return {
    grid: value("--grid"),
    row: value("--row"),
    limit: value("--limit"),
    level: value("--level"),
    levelEdge: value("--level-edge"),
    text: value("--muted"),
    kinds: kinds.map((_, index) => value(`--kind-${index}`)),
  };
}
