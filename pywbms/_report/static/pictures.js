"use strict";
// The rows in the plane, the weights, and the collapse.

const NUMBERED = 40; // centres of more clusters are not numbered

// The cluster of each drawn row in the partition that is shown; null where it has none.
Report.labels = function () {
  const rows = Report.data.rows;
  if (Report.partition === null) return rows.label;
  const given = Report.partition.labels;
  if (given.length === rows.label.length) return given;
  const labels = new Array(rows.label.length).fill(null);
  rows.repeated.forEach((row, place) => {
    labels[row] = given[place];
  });
  return labels;
};

// One series of dots per cluster; those that are not selected step back.
Report.dots = function (places, labels, size, selected = Report.selected) {
  const groups = new Map();
  places.forEach((place, i) => {
    if (!groups.has(labels[i])) groups.set(labels[i], []);
    groups.get(labels[i]).push(place);
  });
  const order = [...groups.keys()].sort((a, b) => groups.get(b).length - groups.get(a).length);
  return order.map((label) => {
    const known = label !== null;
    const back = known && selected !== null && label !== selected;
    return {
      type: "scatter",
      id: `cluster ${label}`,
      name: known ? String(Report.number(label)) : "",
      data: groups.get(label),
      symbol: `path://${Report.marker(known ? label : 0)}`,
      symbolSize: known ? size : 0.6 * size,
      itemStyle: {
        color: known && !back ? Report.colour(label) : Report.theme().faint,
        opacity: known && !back ? 0.8 : 0.35,
      },
      emphasis: { itemStyle: { opacity: 1, borderColor: Report.theme().ink, borderWidth: 1.5 } },
      cursor: known ? "pointer" : "default",
      z: back || !known ? 1 : 2,
    };
  });
};

Report.planeAxes = function (x, y) {
  const names = Report.data.rows.axes;
  return {
    grid: { left: 56, right: 14, top: 14, bottom: 58 },
    xAxis: Report.axis({ min: x[0], max: x[1], name: names[0], nameGap: 26, axisLabel: plainTicks() }),
    yAxis: Report.axis({ min: y[0], max: y[1], name: names[1], nameGap: 34, axisLabel: plainTicks() }),
  };
};

function plainTicks() {
  // The ends of the axes are where the rows end: no round numbers.
  return { color: Report.theme().quiet, showMinLabel: false, showMaxLabel: false, hideOverlap: true };
}

Report.rowTip = function (row) {
  const rows = Report.data.rows;
  const label = Report.labels()[row];
  const lines = [label === null ? "not in this partition" : label < 0 ? "in no cluster" : `cluster ${Report.number(label)}`];
  if (rows.outlier.includes(row)) lines.push("marked as an outlier");
  rows.columns.forEach((name, column) => lines.push(`${name}: ${Report.text(rows.values[column][row])}`));
  return Report.tip(`Row ${rows.name[row]}`, lines);
};

Report.drawClusters = function () {
  const rows = Report.data.rows;
  const places = rows.x.map((x, i) => [x, rows.y[i], i]);
  const x = Report.extent([rows.x]);
  const y = Report.extent([rows.y]);
  const size = rows.x.length > 3000 ? 5 : rows.x.length > 600 ? 7 : 9;
  const made = Report.chart("clusters-chart", "canvas", () => ({
    ...Report.planeAxes(x, y),
    tooltip: Report.tooltip((hit) => Report.rowTip(hit.data[2])),
    series: [...Report.dots(places, Report.labels(), size), centres()],
  }));
  made.chart.on("click", (hit) => {
    const label = Report.labels()[hit.data[2]];
    if (label !== null && hit.data[2] !== undefined) Report.select(label);
  });
};

function centres() {
  const [x, y] = Report.data.rows.centres;
  const shown = Report.partition === null && x.length <= NUMBERED;
  const theme = Report.theme();
  return {
    type: "scatter", id: "centres", silent: true, symbolSize: 1, z: 4,
    itemStyle: { color: "transparent" },
    label: {
      show: true, formatter: (hit) => String(Report.number(hit.data[2])), color: theme.ink, fontWeight: "bold",
      fontSize: 13, textBorderColor: theme.paper, textBorderWidth: 3,
    },
    data: shown ? x.map((value, c) => [value, y[c], c]) : [],
  };
}

// Weights

const MOST_BARS = 30;

Report.drawWeights = function () {
  const { names, values, total } = Report.data.weights;
  const search = Report.byId("weights-search");
  const lower = names.map((name) => name.toLowerCase());
  const chosen = () => {
    const wanted = search.value.trim().toLowerCase();
    const found = [];
    lower.forEach((name, i) => {
      if (name.includes(wanted)) found.push(i);
    });
    return found;
  };
  const made = Report.chart("weights-chart", "svg", (chart) => {
    const found = chosen();
    const shown = found.slice(0, MOST_BARS);
    tell(found.length, shown.length);
    const height = 60 + 22 * Math.max(shown.length, 1);
    fit(chart, height);
    return bars(shown.map((i) => names[i]), shown.map((i) => values[i]), values[0], shown);
  });
  function fit(chart, height) {
    const place = Report.byId("weights-chart");
    if (place.style.height !== `${height}px`) {
      place.style.height = `${height}px`;
      chart.resize({ height });
    }
  }
  function tell(found, shown) {
    const of = names.length < total ? ` (of the ${names.length.toLocaleString("en")} heaviest)` : "";
    const some = shown < found ? `, the heaviest ${shown} are shown` : "";
    Report.byId("weights-count").textContent = `${Report.counted(found, "column")}${of}${some}`;
  }
  search.addEventListener("input", () => made.draw());
};

function bars(names, values, highest, ranks) {
  const theme = Report.theme();
  const width = Math.min(200, 0.36 * Report.byId("weights-chart").clientWidth);
  return {
    grid: { left: 10, right: 60, top: 8, bottom: 40, containLabel: true },
    xAxis: Report.axis({ min: 0, max: highest || 1, name: "weight", nameGap: 24, axisLabel: plainTicks() }),
    yAxis: {
      type: "category", inverse: true, data: names, axisTick: { show: false },
      axisLine: { lineStyle: { color: theme.quiet } },
      axisLabel: { color: theme.ink, width, overflow: "truncate", interval: 0 },
    },
    tooltip: Report.tooltip((hit) =>
      Report.tip(names[hit.dataIndex], [`weight ${Number(values[hit.dataIndex]).toPrecision(3)}`].concat(
        ranks ? [`rank ${ranks[hit.dataIndex] + 1} of ${Report.data.weights.total.toLocaleString("en")}`] : []))),
    series: [{
      type: "bar", id: "weights", data: values, itemStyle: { color: Report.colour(0) }, barMaxWidth: 16,
      label: { show: true, position: "right", color: theme.ink, formatter: (hit) => Report.weight(hit.value) },
    }],
  };
}

// Collapse

Report.drawCollapse = function () {
  const data = Report.data.collapse;
  const labels = Report.data.rows.repeated.map((row) => Report.data.rows.label[row]);
  const slider = Report.byId("collapse-slider");
  const play = Report.byId("collapse-play");
  const x = Report.extent(data.x);
  const y = Report.extent(data.y);
  const frame = () => Number(slider.value);
  slider.max = String(data.iteration.length - 1);
  const dots = Report.chart("collapse-chart", "canvas", () => {
    const places = data.x[frame()].map((value, i) => [value, data.y[frame()][i], i]);
    // What is selected in another partition is none of the clusters here.
    const series = Report.dots(places, labels, 8, Report.partition === null ? Report.selected : null);
    return {
      ...Report.planeAxes(x, y),
      tooltip: Report.tooltip((hit) => Report.rowTip(Report.data.rows.repeated[hit.data[2]])),
      series,
    };
  });
  const most = Math.max(...data.weights.flat(), 0);
  const weights = Report.chart("collapse-weights", "svg", () =>
    bars(data.columns, data.weights[frame()], most));
  function show() {
    const t = frame();
    const when = data.iteration[t] === 0 ? "start" : `iteration ${data.iteration[t]}`;
    const told = `${when}: ${Report.counted(data.groups[t], data.iteration[t] === 0 ? "different row" : "group")}`;
    Report.byId("collapse-told").textContent = told;
    slider.setAttribute("aria-valuetext", told);
    Report.byId("collapse-chart").setAttribute("aria-label", `The rows at ${told}`);
    dots.draw();
    weights.draw();
  }
  let timer = null;
  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  }
  play.addEventListener("click", () => {
    if (timer !== null) return stop();
    if (frame() === data.iteration.length - 1) slider.value = "0";
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(() => {
      slider.value = String(frame() + 1);
      show();
      if (frame() === data.iteration.length - 1) stop();
    }, 400);
    return show();
  });
  slider.addEventListener("input", () => {
    if (timer !== null) stop();
    show();
  });
  show();
};
