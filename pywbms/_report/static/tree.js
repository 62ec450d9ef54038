"use strict";
// The merge tree, with a cut that can be dragged.

const NEAR = 14; // pixels from the cut at which it can be taken hold of

Report.drawTree = function () {
  const tree = Report.data.tree;
  if (tree === null) {
    Report.byId("tree-body").remove();
    return;
  }
  const shape = treeShape(tree);
  const slider = Report.byId("tree-slider");
  let cut = tree.cut;
  const made = Report.chart("tree-chart", "svg", () => treeOptions(tree, shape, cut));

  function move(height, from) {
    cut = Math.min(Math.max(height, shape.lowest), shape.highest);
    if (from !== slider) slider.value = String(Math.round((1000 * cut) / shape.highest));
    const k = cutTree(tree, cut).k;
    const told = `${Report.counted(k, "cluster")} after ${iterations(cut)} iterations`;
    Report.byId("tree-told").textContent = told;
    slider.setAttribute("aria-valuetext", told);
    Report.byId("tree-chart").setAttribute("aria-label", `The tree of the clusters, cut into ${told}`);
    made.draw();
  }
  slider.addEventListener("input", () => move((Number(slider.value) * shape.highest) / 1000, slider));
  Report.byId("tree-show").addEventListener("click", () => {
    const found = cutTree(tree, cut);
    const labels = tree.leaf.map((leaf) => found.label[leaf]);
    Report.show({ name: "the cut of the tree", labels, k: found.k });
    Report.byId("clusters").scrollIntoView();
  });
  dragging(made.chart, () => cut, move);
  mergeTable(tree);
  move(cut);
};

function dragging(chart, cut, move) {
  const drawing = chart.getZr();
  const inside = (event) => chart.containPixel("grid", [event.offsetX, event.offsetY]);
  const isNear = (event) => Math.abs(chart.convertToPixel({ yAxisIndex: 0 }, cut()) - event.offsetY) < NEAR;
  let held = false;
  drawing.on("mousedown", (event) => {
    held = inside(event) && isNear(event);
  });
  drawing.on("mousemove", (event) => {
    if (held) {
      if (event.event.buttons === 0) held = false; // let go outside the picture
      else move(chart.convertFromPixel({ yAxisIndex: 0 }, event.offsetY));
    }
    drawing.setCursorStyle(held || (inside(event) && isNear(event)) ? "ns-resize" : "default");
  });
  drawing.on("mouseup", () => {
    held = false;
  });
}

// Where leaves and merges are: leaves at 0, 1, …, merges between their two parts.
function treeShape(tree) {
  const leaves = tree.size.length;
  const place = tree.size.map((_, leaf) => leaf);
  const bottom = new Array(leaves).fill(0);
  const size = [...tree.size];
  tree.children.forEach(([a, b], merge) => {
    place.push((place[a] + place[b]) / 2);
    bottom.push(tree.height[merge]);
    size.push(size[a] + size[b]);
  });
  const top = Math.max(...tree.height, tree.end, 1);
  return { place, bottom, size, highest: 1.08 * top, lowest: tree.floor };
}

// Which cluster each leaf and each merge belongs to at a height; −1 above it.
function cutTree(tree, cut) {
  const leaves = tree.size.length;
  const size = [...tree.size];
  tree.children.forEach(([a, b]) => size.push(size[a] + size[b]));
  const label = new Array(size.length).fill(-1);
  const roots = [];
  const visit = (node) => {
    if (node >= leaves && tree.height[node - leaves] > cut) tree.children[node - leaves].forEach(visit);
    else roots.push(node);
  };
  visit(size.length - 1);
  const members = new Map(roots.map((root) => [root, leavesUnder(tree, root)]));
  const own = roots.map((root) => new Set(members.get(root).map((leaf) => tree.cluster[leaf])));
  const same = own.every((set) => set.size === 1) && new Set(own.flatMap((set) => [...set])).size === roots.length;
  const order = [...roots].sort((a, b) => size[b] - size[a] || a - b);
  order.forEach((root, rank) => {
    // The numbers of the result where the cut gives its clusters.
    const number = same ? [...own[roots.indexOf(root)]][0] : rank;
    mark(tree, root, number, label);
  });
  return { k: roots.length, label, same };
}

function leavesUnder(tree, node) {
  const leaves = tree.size.length;
  return node < leaves ? [node] : tree.children[node - leaves].flatMap((child) => leavesUnder(tree, child));
}

function mark(tree, node, number, label) {
  label[node] = number;
  if (node >= tree.size.length) tree.children[node - tree.size.length].forEach((child) => mark(tree, child, number, label));
}

function iterations(height) {
  const number = Math.expm1(height);
  if (number < 1e6) return Math.round(number).toLocaleString("en");
  const [digit, power] = number.toExponential(0).split("e+");
  const raised = [...power].map((figure) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[figure]).join("");
  return `${digit === "1" ? "" : `${digit} · `}10${raised}`;
}

// Heights of 0, 1, 10, 100, … iterations, or of fewer powers of ten.
function marks(highest) {
  const decades = highest / Math.LN10;
  const step = Math.max(1, Math.ceil(decades / 8));
  const found = [0];
  for (let power = 0; power < decades; power += step) found.push(Math.log1p(10 ** power));
  return found.filter((height) => height < highest && (height === 0 || height > highest / 20));
}

function treeOptions(tree, shape, cut) {
  const theme = Report.theme();
  const leaves = tree.size.length;
  const { label, same } = cutTree(tree, cut);
  // The cluster that is selected, if the branches are those of the result's clusters.
  const selected = same && Report.partition === null ? Report.selected : null;
  const lines = new Map(); // colour and style → points, with gaps
  const add = (number, observed, points) => {
    const key = `${number} ${observed}`;
    if (!lines.has(key)) lines.set(key, { number, observed, data: [] });
    lines.get(key).data.push(...points, [null, null]);
  };
  tree.children.forEach((pair, merge) => {
    const node = leaves + merge;
    const height = tree.height[merge];
    const observed = tree.observed[merge];
    add(label[node], observed, pair.map((child) => [shape.place[child], height]));
    for (const child of pair) {
      add(label[child], observed, [[shape.place[child], shape.bottom[child]], [shape.place[child], height]]);
    }
  });
  const root = shape.place.length - 1;
  add(label[root], true, [[shape.place[root], shape.bottom[root]], [shape.place[root], shape.highest]]);
  const series = [...lines.values()].map((one) => ({
    type: "line", id: `branch ${one.number} ${one.observed}`, symbol: "none", silent: true, data: one.data,
    lineStyle: { width: 2, color: one.number < 0 ? theme.quiet : Report.colour(one.number), type: one.observed ? "solid" : "dotted",
      opacity: selected === null || one.number === selected ? 1 : 0.25 },
  }));
  return {
    grid: { left: 76, right: 20, top: 26, bottom: leaves > 12 ? 64 : 46 },
    xAxis: Report.axis({
      min: -0.6, max: leaves - 0.4, interval: 1, splitLine: { show: false }, axisTick: { show: false },
      name: tree.n === leaves ? "rows" : "parts, with their numbers of rows", nameGap: leaves > 12 ? 44 : 26,
      axisLabel: {
        color: theme.quiet, rotate: leaves > 12 ? 90 : 0, hideOverlap: true,
        formatter: (value) => (Number.isInteger(value) && value < leaves ? tree.size[value].toLocaleString("en") : ""),
        customValues: tree.size.map((_, leaf) => leaf),
      },
    }),
    yAxis: Report.axis({
      min: 0, max: shape.highest, name: "iterations until they meet", nameGap: 58,
      axisLabel: { color: theme.quiet, formatter: iterations, customValues: marks(shape.highest) },
      axisTick: { show: true, customValues: marks(shape.highest) }, splitLine: { show: false },
    }),
    series: [...series, cutLine(tree, cut, theme)],
  };
}

function cutLine(tree, cut, theme) {
  return {
    type: "line", id: "cut", data: [], silent: true,
    markLine: {
      silent: true, symbol: ["none", "none"], animation: false,
      data: [
        { yAxis: cut, lineStyle: { color: theme.cut, width: 3, type: "solid" },
          label: { formatter: "drag to cut", position: "insideEndTop", color: theme.cut, fontWeight: "bold" } },
        { yAxis: tree.end, lineStyle: { color: theme.quiet, width: 1, type: "dashed" },
          label: { formatter: "the fit ends", position: "insideStartTop", color: theme.quiet } },
      ],
    },
  };
}

function mergeTable(tree) {
  const leaves = tree.size.length;
  const size = [...tree.size];
  const table = Report.element("table");
  table.createCaption().textContent = "Merges of the tree, the last one first";
  const head = table.createTHead().insertRow();
  for (const name of ["Clusters after it", "Iteration", "Rows of the two parts", "Followed"]) {
    head.append(Report.element("th", name, { scope: "col" }));
  }
  const rows = tree.children.map(([a, b], merge) => {
    size.push(size[a] + size[b]);
    const row = Report.element("tr");
    row.append(Report.element("th", String(leaves - merge - 1), { scope: "row" }));
    for (const text of [iterations(tree.height[merge]), `${size[a]} and ${size[b]}`]) {
      row.append(Report.element("td", text, { class: "number" }));
    }
    row.append(Report.element("td", tree.observed[merge] ? "yes" : "predicted"));
    return row;
  });
  const body = table.createTBody();
  rows.reverse().forEach((row) => body.append(row));
  Report.byId("tree-table").append(table);
}
