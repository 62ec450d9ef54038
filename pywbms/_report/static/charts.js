"use strict";
// What all pictures share: the data, colours and markers, and charts that follow size and theme.

// A canvas does not inherit its font.
const FONT = getComputedStyle(document.body).fontFamily;

const Report = {
  data: JSON.parse(document.getElementById("data").textContent),
  charts: [],
  selected: null, // a cluster of the partition that is shown, or null
  partition: null, // another partition than the result's, or null
  printing: false,
};

// Markers in a box of 10 × 10; neighbouring clusters differ in colour and in marker.
const MARKERS = [
  "M5 0A5 5 0 1 1 5 10A5 5 0 1 1 5 0Z", "M0.6 0.6H9.4V9.4H0.6Z", "M5 0L10 9H0Z",
  "M5 0L10 5L5 10L0 5Z", "M5 10L0 1H10Z", "M3.3 0H6.7V3.3H10V6.7H6.7V10H3.3V6.7H0V3.3H3.3Z",
  "M10 5L1 10V0Z", "M0 5L9 0V10Z", "M5 0L10 3.8L8.1 9.8H1.9L0 3.8Z",
];

Report.byId = (id) => document.getElementById(id);

Report.element = function (tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

// The number of a cluster as the reader's language counts: from 0 in Python, from 1 in R.
Report.number = (cluster) => cluster + Report.data.first;

Report.counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

Report.text = function (value) {
  if (value === null || value === undefined) return "–";
  return Number(value.toPrecision(4)).toString().replace("-", "−");
};

// A weight; small ones are not told apart.
Report.weight = (value) => (value === 0 ? "0" : value < 0.001 ? "< 0.001" : value.toPrecision(3));

Report.isDark = () =>
  !Report.printing && window.matchMedia("(prefers-color-scheme: dark)").matches;

Report.theme = function () {
  return Report.isDark()
    ? { ink: "#e4e9ee", quiet: "#a3b0bd", line: "#35424f", paper: "#182029", faint: "#4a5865", cut: "#ffb27a" }
    : { ink: "#1c2733", quiet: "#566473", line: "#d7dde3", paper: "#ffffff", faint: "#c3cbd3", cut: "#b34700" };
};

Report.colour = (cluster) =>
  cluster < 0 ? "#8a949e" : Report.data.colours[cluster % Report.data.colours.length];

Report.marker = (cluster) => (cluster < 0 ? MARKERS[5] : MARKERS[cluster % MARKERS.length]);

Report.swatch = function (cluster) {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", "-0.5 -0.5 11 11");
  picture.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(space, "path");
  shape.setAttribute("d", Report.marker(cluster));
  shape.setAttribute("fill", Report.colour(cluster));
  picture.append(shape);
  return picture;
};

// A box beside the pointer, made of text nodes only: names may contain anything.
Report.tip = function (title, lines) {
  const box = Report.element("div", undefined, { class: "tip" });
  box.append(Report.element("b", title));
  for (const line of lines) box.append(Report.element("div", line));
  return box;
};

Report.tooltip = function (formatter) {
  const theme = Report.theme();
  return {
    trigger: "item", confine: true, formatter, transitionDuration: 0,
    backgroundColor: theme.paper, borderColor: theme.quiet, textStyle: { color: theme.ink },
  };
};

Report.axis = function (more) {
  const theme = Report.theme();
  return {
    type: "value",
    nameLocation: "middle",
    nameTextStyle: { color: theme.quiet, lineHeight: 15, fontSize: 12 },
    axisLine: { onZero: false, lineStyle: { color: theme.quiet } },
    axisLabel: { color: theme.quiet, hideOverlap: true },
    splitLine: { lineStyle: { color: theme.line } },
    ...more,
  };
};

// A chart in an element; `draw` returns its options, anew for each change.
Report.chart = function (id, renderer, draw) {
  const place = Report.byId(id);
  const chart = echarts.init(place, null, { renderer });
  const made = {
    chart,
    place,
    draw() {
      const options = { animation: false, textStyle: { fontFamily: FONT }, ...draw(chart) };
      chart.setOption(options, { replaceMerge: ["series"] });
    },
  };
  new ResizeObserver(() => {
    if (!Report.printing) {
      chart.resize();
      made.draw();
    }
  }).observe(place);
  Report.charts.push(made);
  return made;
};

Report.drawAll = () => Report.charts.forEach((one) => one.draw());

Report.extent = function (lists) {
  let low = Infinity;
  let high = -Infinity;
  for (const list of lists) {
    for (const value of list) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  const room = 0.05 * (high - low) || Math.max(1, 0.05 * Math.abs(high));
  return [low - room, high + room];
};
