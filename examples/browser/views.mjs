// Draws the three resources from the history: lanes, a stack, and a level.

/** One row for each connection; a piece of work is a bar in each row that it held. */
export function drawLanes(canvas, history, capacity, now, colors) {
  const { context, x } = canvas.begin(now, colors);
  const rows = Math.max(capacity, history.rowsUsed);
  const step = canvas.height / rows;
  const thick = Math.max(1, Math.min(step - 2, step * 0.8));

  context.fillStyle = colors.row;
  for (let row = 0; row < capacity; row += 1) {
    context.fillRect(0, row * step + (step - thick) / 2, canvas.width, thick);
  }
  for (const { rows: taken, kind, granted, returned = now } of history.pieces) {
    const left = Math.max(0, x(granted));
    const right = x(returned) - 1;
    if (right <= 0) continue;
    context.fillStyle = colors.kinds[kind];
    for (const row of taken) {
      context.beginPath();
      context.roundRect(left, row * step + (step - thick) / 2, Math.max(1, right - left), thick, 3);
      context.fill();
    }
  }
}

/** Memory held, one layer for each kind, under the line of its limit. */
export function drawStack(canvas, history, now, colors) {
  const { context, x } = canvas.begin(now, colors);
  const steps = shown(history.memory, x);
  const total = ({ held }) => held.reduce((sum, mb) => sum + mb, 0);
  const top = 1.1 * Math.max(1, ...steps.map((step) => Math.max(step.capacity, total(step))));
  const y = (mb) => canvas.height * (1 - mb / top);

  steps.forEach((step, index) => {
    const left = Math.max(0, x(step.at));
    const right = x(steps[index + 1]?.at ?? now);
    let below = 0;
    step.held.forEach((mb, kind) => {
      context.fillStyle = colors.kinds[kind];
      if (mb > 0) context.fillRect(left, y(below + mb), right - left + 0.5, y(below) - y(below + mb));
      below += mb;
    });
  });
  drawLimit(context, steps, x, y, now, colors, ({ capacity }) => capacity);
}

/** The level of the bucket, under the line of its burst. */
export function drawLevel(canvas, history, now, colors) {
  const { context, x } = canvas.begin(now, colors);
  const steps = shown(history.level, x);
  if (steps.length === 0) return;
  const top = 1.1 * Math.max(1, ...steps.map(({ burst }) => burst));
  const y = (units) => canvas.height * (1 - units / top);

  context.beginPath();
  for (const [index, { at, level }] of steps.entries()) {
    if (index > 0) context.lineTo(x(at), y(steps[index - 1].level));
    context.lineTo(Math.max(0, x(at)), y(level));
  }
  context.lineTo(canvas.width, y(steps.at(-1).level));
  context.strokeStyle = colors.levelEdge;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineTo(canvas.width, canvas.height);
  context.lineTo(Math.max(0, x(steps[0].at)), canvas.height);
  context.fillStyle = colors.level;
  context.fill();
  drawLimit(context, steps, x, y, now, colors, ({ burst }) => burst);
}

function drawLimit(context, steps, x, y, now, colors, value) {
  context.beginPath();
  steps.forEach((step, index) => {
    context.lineTo(Math.max(0, x(step.at)), y(value(step)));
    context.lineTo(x(steps[index + 1]?.at ?? now), y(value(step)));
  });
  context.strokeStyle = colors.limit;
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.stroke();
  context.setLineDash([]);
}

/** The steps that the canvas shows, with the one before the left edge. */
function shown(steps, x) {
  const first = steps.findIndex(({ at }) => x(at) > 0);
  return steps.slice(first < 0 ? -1 : Math.max(0, first - 1));
}
