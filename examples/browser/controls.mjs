// The form: makes the inputs from settings.mjs, and says what was changed.

import { NUMBERS, ORDERS } from "./settings.mjs";

/**
 * `on` has changed(name), called once settings[name] is new, and pause(), more(), restart(). A change
 * of the order goes through changed as well.
 */
export function makeControls(settings, on) {
  for (const number of NUMBERS) {
    const group = document.querySelector(`#${number.group}-controls`);
    group.append(makeRange(number, settings, on.changed));
  }
  const order = document.querySelector("#order-controls");
  order.append(makeOrders(settings, on.changed), makeBypass(settings, on.changed));

  const pause = document.querySelector("#pause");
  pause.addEventListener("click", () => {
    settings.paused = !settings.paused;
    pause.textContent = settings.paused ? "Resume arrivals" : "Pause arrivals";
    pause.setAttribute("aria-pressed", String(settings.paused));
    on.pause();
  });
  document.querySelector("#burst-of-work").addEventListener("click", on.more);
  document.querySelector("#restart").addEventListener("click", on.restart);
  document.querySelector("#controls").addEventListener("submit", (event) => event.preventDefault());
}

function makeRange({ name, label, low, high, step }, settings, changed) {
  const line = document.createElement("label");
  line.className = "range";
  const text = document.createElement("span");
  text.textContent = label;
  const output = document.createElement("output");
  output.textContent = settings[name];
  const input = document.createElement("input");
  Object.assign(input, { type: "range", id: name, min: low, max: high, step });
  input.value = settings[name];
  input.addEventListener("input", () => {
    settings[name] = Number(input.value);
    output.textContent = input.value;
    changed(name);
  });
  line.append(text, output, input);
  return line;
}

function makeOrders(settings, changed) {
  const line = document.createElement("div");
  line.className = "orders";
  line.setAttribute("role", "radiogroup");
  line.setAttribute("aria-label", "Order");
  for (const order of ORDERS) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: "order", value: order, id: `order-${order}` });
    input.checked = settings.order === order;
    input.addEventListener("change", () => {
      settings.order = order;
      changed("order");
    });
    label.append(input, ` ${order}`);
    line.append(label);
  }
  return line;
}

function makeBypass(settings, changed) {
  const label = document.createElement("label");
  label.className = "bypass";
  const input = document.createElement("input");
  Object.assign(input, { type: "number", id: "maxBypass", min: 0, max: 1_000, step: 1 });
  input.value = settings.maxBypass;
  input.addEventListener("change", () => {
    if (!input.reportValidity() || input.value === "") return;
    settings.maxBypass = Number(input.value);
    changed("maxBypass");
  });
  label.append("a claim may be passed ", input, " times");
  return label;
}
