"use strict";
// The pairs (h, lam) that the search tried.

// From low to high stability.
const RAMP = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"];

function rampColour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(place), RAMP.length - 2);
  const part = place - low;
  const channels = [1, 3, 5].map((at) => {
    const [a, b] = [RAMP[low], RAMP[low + 1]].map((one) => parseInt(one.slice(at, at + 2), 16));
    return Math.round(a + part * (b - a));
  });
  return `rgb(${channels.join(",")})`;
}

Report.drawMap = function () {
  const map = Report.data.map;
  if (map === null) {
    Report.byId("map-body").remove();
    return;
  }
  const select = Report.byId("map-start");
  map.starts.forEach((start) => select.append(Report.element("option", start, { value: start })));
  select.value = map.start[Math.max(map.chosen.indexOf(true), 0)];
  let shown = null;

  const made = Report.chart("map-chart", "svg", (chart) => {
    const cells = map.h.map((_, i) => i).filter((i) => map.start[i] === select.value);
    const lams = [...new Set(cells.map((i) => map.lam[i]))].sort((a, b) => a - b);
    const height = Math.max(220, 90 + 44 * lams.length);
    if (chart.getHeight() !== height) {
      chart.getDom().style.height = `${height}px`;
      chart.resize({ height });
    }
    return mapOptions(cells, lams, shown, chart.getWidth());
  });

  function choose(cell) {
    shown = cell;
    const own = map.chosen[cell];
    const partition = map.partition[cell];
    const name = `h = ${Report.text(map.h[cell])}, lam = ${Report.text(map.lam[cell])}`;
    if (own) Report.show(null);
    else if (partition !== null) {
      const labels = map.partitions[partition];
      Report.show({ name: `the partition for ${name}`, labels, k: 1 + Math.max(...labels) });
    }
    const told = own ? " The chosen pair: the picture shows the result."
      : partition === null ? " No partition was computed for this pair."
        : map.joined[cell] !== map.k[cell] ? " The picture of the clusters shows its partition now, before joining."
          : " The picture of the clusters shows its partition now.";
    Report.byId("map-told").textContent = `${cellLines(cell).join("; ")}.${told}`;
    made.draw();
  }

  Report.forgetCell = () => {
    shown = null;
    Report.byId("map-told").textContent = "";
    made.draw();
  };
  made.chart.on("click", (hit) => choose(hit.data.value[2]));
  select.addEventListener("change", () => made.draw());
  Report.byId("map-reset").addEventListener("click", () => Report.show(null));
  mapLegend();
  mapTable(choose);
};

function cellLines(cell) {
  const map = Report.data.map;
  const joined = map.joined[cell] === map.k[cell] ? "" : `, joined to ${map.joined[cell]} where the density does not dip`;
  return [
    `h = ${Report.text(map.h[cell])}, lam = ${Report.text(map.lam[cell])} (start: ${map.start[cell]})`,
    `${Report.counted(map.k[cell], "cluster")}${joined}`,
    map.stability[cell] === null ? "stability not judged: not promising enough" : `stability ${map.stability[cell].toFixed(2)} of 1`,
  ];
}

// Squares as large as leaves neighbours of the same lam apart, within limits.
function squareSize(cells, span, width) {
  const map = Report.data.map;
  const apart = cells.flatMap((i) => cells.filter((j) => map.lam[i] === map.lam[j] && map.h[j] > map.h[i])
    .map((j) => Math.log10(map.h[j] / map.h[i])));
  const gap = (Math.min(...apart, span) * (width - 100)) / span;
  return Math.min(Math.max(gap - 2, 14), 30);
}

function mapOptions(cells, lams, shown, width) {
  const map = Report.data.map;
  const theme = Report.theme();
  const [low, high] = Report.extent([cells.map((i) => Math.log10(map.h[i]))]);
  const size = squareSize(cells, high - low, width);
  // The chosen pair comes last, on top of its neighbours.
  const data = [...cells].sort((a, b) => map.chosen[a] - map.chosen[b]).map((i) => {
    const judged = map.stability[i] !== null;
    const light = judged && map.stability[i] > 0.55;
    return {
      value: [map.h[i], lams.indexOf(map.lam[i]), i],
      itemStyle: {
        opacity: 1,
        color: judged ? rampColour(map.stability[i]) : theme.faint,
        borderColor: map.chosen[i] ? theme.cut : i === shown ? theme.ink : theme.paper,
        borderWidth: map.chosen[i] || i === shown ? 4 : 1,
      },
      label: { color: !judged ? theme.ink : light ? "#101010" : "#ffffff" },
    };
  });
  return {
    grid: { left: 70, right: 30, top: 16, bottom: 52 },
    xAxis: Report.axis({
      type: "log", min: 10 ** low, max: 10 ** high, name: "h (logarithmic)", nameGap: 30,
      axisLabel: { color: theme.quiet, formatter: (value) => Report.text(value), hideOverlap: true, showMinLabel: false, showMaxLabel: false },
    }),
    yAxis: {
      ...Report.axis({ name: "lam", nameGap: 48 }), type: "category", data: lams.map(Report.text),
      axisLabel: { color: theme.quiet },
    },
    tooltip: Report.tooltip((hit) => Report.tip(cellLines(hit.data.value[2])[0], cellLines(hit.data.value[2]).slice(1))),
    series: [{
      type: "scatter", id: "pairs", symbol: "rect", symbolSize: [size, 30], data, cursor: "pointer",
      label: { show: true, formatter: (hit) => String(map.k[hit.data.value[2]]), fontSize: size < 22 ? 10 : 12 },
    }],
  };
}

function mapLegend() {
  const bar = Report.element("span", "", { "aria-hidden": "true" });
  bar.style.cssText = "display:inline-block;width:7rem;height:.8rem;vertical-align:middle;margin:0 .4rem;" +
    `border-radius:.2rem;background:linear-gradient(90deg,${RAMP.join(",")})`;
  Report.byId("map-legend").append("Stability 0", bar, "1. Grey: not promising enough to be judged.");
}

function mapTable(choose) {
  const map = Report.data.map;
  const table = Report.element("table");
  table.createCaption().textContent = "Pairs that were tried, with the number of their clusters";
  const head = table.createTHead().insertRow();
  for (const name of ["Start", "h", "lam", "Clusters", "Joined", "Stability", "Chosen", "Show"]) {
    head.append(Report.element("th", name, { scope: "col" }));
  }
  const body = table.createTBody();
  map.h.forEach((h, i) => {
    const row = body.insertRow();
    row.append(Report.element("th", map.start[i], { scope: "row" }));
    const stability = map.stability[i] === null ? "–" : map.stability[i].toFixed(2);
    for (const text of [Report.text(h), Report.text(map.lam[i]), map.k[i], map.joined[i], stability]) {
      row.append(Report.element("td", text, { class: "number" }));
    }
    row.append(Report.element("td", map.chosen[i] ? "yes" : ""));
    const cell = row.insertCell();
    if (map.partition[i] === null && !map.chosen[i]) return;
    const button = Report.element("button", "Show", { type: "button", "aria-label": `Show the partition for h = ${Report.text(h)}, lam = ${Report.text(map.lam[i])}` });
    button.addEventListener("click", () => choose(i));
    cell.append(button);
  });
  Report.byId("map-table").append(table);
}
