"use strict";
// What is selected, everywhere at once; and the start.

const PRINT_WIDTH = 660;

Report.select = function (cluster) {
  Report.selected = cluster === Report.selected ? null : cluster;
  refresh();
};

// Show another partition in the picture of the clusters; null shows that of the result.
Report.show = function (partition) {
  Report.partition = partition;
  Report.selected = null;
  if (partition === null && Report.forgetCell) Report.forgetCell();
  refresh();
};

function sizes() {
  const own = Report.data.clusters;
  if (Report.partition === null) return own.size;
  const size = new Array(Report.partition.k).fill(0);
  Report.partition.labels.forEach((label) => {
    if (label >= 0) size[label] += 1;
  });
  return size;
}

function refresh() {
  const size = sizes();
  chips(size);
  const told = Report.byId("selection");
  const chosen = Report.selected;
  told.textContent = chosen === null ? "All clusters are shown." : describe(chosen, size);
  const other = Report.byId("partition");
  other.hidden = Report.partition === null;
  other.replaceChildren();
  if (Report.partition !== null) {
    const some = Report.partition.labels.length < Report.data.rows.total
      ? ` of ${Report.counted(Report.partition.labels.length, "row")}; the others are grey` : "";
    const back = Report.element("button", "Back to the result", { type: "button" });
    back.addEventListener("click", () => Report.show(null));
    other.append(`The picture shows ${Report.partition.name}, with ${Report.counted(Report.partition.k, "cluster")}${some}. `, back);
  }
  for (const row of document.querySelectorAll("tr[data-cluster]")) {
    const mine = Report.partition === null && chosen !== null;
    const same = Number(row.dataset.cluster) === chosen;
    row.classList.toggle("dim", mine && !same);
    row.classList.toggle("chosen", mine && same);
  }
  const label = `The rows in the plane along which they differ most, in ${Report.counted(size.length, "cluster")}`;
  Report.byId("clusters-chart").setAttribute("aria-label", chosen === null ? label : `${label}; cluster ${Report.number(chosen)} stands out`);
  Report.drawAll();
}

function describe(cluster, size) {
  if (cluster < 0) return "Rows in no cluster.";
  const { share, confidence } = Report.data.clusters;
  const lines = [`Cluster ${Report.number(cluster)}: ${Report.counted(size[cluster], "row")}`];
  if (Report.partition === null) {
    lines.push(`${(100 * share[cluster]).toFixed(1)} % of all`);
    if (confidence !== null) lines.push(`confidence of its rows ${confidence[cluster].toFixed(2)}`);
  }
  return `${lines.join(", ")}.`;
}

function chips(size) {
  const place = Report.byId("selector");
  if (place.childElementCount !== size.length + 1 || place.dataset.sizes !== size.join()) {
    place.dataset.sizes = size.join();
    place.replaceChildren();
    const all = Report.element("button", "All", { type: "button", "data-chip": "all" });
    all.addEventListener("click", () => Report.select(Report.selected));
    place.append(all);
    size.forEach((number, cluster) => {
      const chip = Report.element("button", undefined, { type: "button", "data-chip": cluster });
      chip.append(Report.swatch(cluster), `${Report.number(cluster)} (${number.toLocaleString("en")})`);
      chip.setAttribute("aria-label", `Cluster ${Report.number(cluster)}, ${Report.counted(number, "row")}`);
      chip.addEventListener("click", () => Report.select(cluster));
      place.append(chip);
    });
  }
  for (const chip of place.children) {
    const chosen = chip.dataset.chip === "all" ? Report.selected === null : Number(chip.dataset.chip) === Report.selected;
    chip.setAttribute("aria-pressed", String(chosen));
  }
}

function alternatives() {
  const rows = [...document.querySelectorAll("tr[data-alternative]")];
  rows.forEach((row, place) => {
    const labels = Report.data.alternatives[place];
    if (labels === undefined) return;
    const button = Report.element("button", "Show", { type: "button", "aria-label": `Show alternative ${place + 1}` });
    button.addEventListener("click", () => {
      Report.show({ name: `alternative ${place + 1}`, labels, k: 1 + Math.max(...labels) });
      Report.byId("clusters").scrollIntoView();
    });
    const cell = Report.element("td");
    cell.append(button);
    row.append(cell);
  });
  const head = document.querySelector("#found thead tr");
  if (head !== null) head.append(Report.element("th", "In the picture", { scope: "col" }));
}

function tables() {
  for (const row of document.querySelectorAll("tr[data-cluster]")) {
    row.addEventListener("click", () => {
      if (window.getSelection().toString() !== "") return; // somebody copies text
      if (Report.partition !== null) Report.show(null);
      Report.select(Number(row.dataset.cluster));
    });
  }
}

function print(begins) {
  Report.printing = begins;
  for (const one of Report.charts) {
    const half = one.place.closest(".pair") !== null;
    one.chart.resize(begins ? { width: half ? PRINT_WIDTH / 2 : PRINT_WIDTH } : undefined);
  }
  Report.drawAll();
}

Report.drawClusters();
Report.drawWeights();
Report.drawCollapse();
Report.drawMap();
Report.drawTree();
alternatives();
tables();
refresh();
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", Report.drawAll);
window.addEventListener("beforeprint", () => print(true));
window.addEventListener("afterprint", () => print(false));
