"use strict";
// The page keeps its state in the fragment: table, policy, x, y, from and to of the zoom, sort, dir, f.COLUMN of filters.
const element = id => document.getElementById(id);
const state = new URLSearchParams(location.hash.slice(1));
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name); // of the theme
let grid, plot, data;

const save = () => history.replaceState(null, "", "#" + state);
const set = (key, value) => { value === "" || value == null ? state.delete(key) : state.set(key, value); save(); };
async function get(path) {
  const reply = await fetch(path);
  if (!reply.ok) throw new Error(await reply.text());
  return reply.json();
}
function fill(select, values, chosen) {
  select.replaceChildren(...values.map(v => new Option(v || "all", v, false, v === chosen)));
}

// passes says whether a cell fits a filter: part of a text, or a comparison with a number.
function passes(filter, cell) {
  const m = /^\s*(<=|>=|<|>|=)\s*(.*)$/.exec(filter);
  if (!m) return String(cell ?? "").toLowerCase().includes(filter.toLowerCase());
  if (cell == null) return false;
  const [, op, text] = m, a = Number(cell), b = Number(text);
  if (text === "" || Number.isNaN(a) || Number.isNaN(b)) return op === "=" && String(cell) === text;
  return { "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "=": a === b }[op];
}

function count(shown) {
  let text = `${shown.toLocaleString("en")} of ${data.total.toLocaleString("en")} rows`;
  if (data.rows.length < data.total) {
    text += `; filters, sorting and the plot see the first ${data.rows.length.toLocaleString("en")}: choose a policy`;
  }
  element("count").textContent = text;
}

// zoomed keeps the rows whose x lies in the zoom.
function zoomed() {
  const x = state.get("x"), from = state.get("from"), to = state.get("to");
  if (!x || from == null) { grid.clearFilter(); return; }
  grid.setFilter([[{ field: x, type: ">=", value: Number(from) }], [{ field: x, type: "<=", value: Number(to) }]].flat());
}

// drawPlot draws a point a row, in the colour of its policy; eight colours, so further policies share the last.
function drawPlot() {
  plot?.destroy();
  plot = null;
  const x = state.get("x"), y = state.get("y");
  if (!x || !y) return;
  const points = data.objects.filter(r => r[x] != null && r[y] != null).sort((a, b) => a[x] - b[x]);
  const names = [...new Set(data.objects.map(r => r.policy ?? "all"))];
  const values = names.map(n => points.map(r => (r.policy ?? "all") === n ? r[y] : null));
  const rule = colour("rule"), colours = names.map((_, i) => colour("c" + Math.min(i, 7)));
  const axis = { stroke: colour("text"), grid: { stroke: rule }, ticks: { stroke: rule } };
  let ready = false;
  plot = new uPlot({
    padding: [null, 30, null, null], width: element("plot").clientWidth, height: 300, scales: { x: { time: false } },
    axes: [{ ...axis, label: x }, { ...axis, label: y, size: 80 }],
    series: [{ label: x }, ...names.map((n, i) => ({
      label: n, stroke: colours[i], paths: () => null, points: { show: true, size: 6, fill: colours[i] },
    }))],
    hooks: {
      setScale: [(u, key) => {
        if (key !== "x" || !ready) return;
        const { min, max } = u.scales.x, all = points.length === 0 || (min <= points[0][x] && max >= points.at(-1)[x]);
        set("from", all ? "" : min);
        set("to", all ? "" : max);
        zoomed();
      }],
    },
  }, [points.map(r => r[x]), ...values], element("plot"));
  if (state.has("from")) plot.setScale("x", { min: Number(state.get("from")), max: Number(state.get("to")) });
  queueMicrotask(() => { ready = true; });
}

function drawGrid() {
  grid?.destroy();
  grid = new Tabulator("#rows", {
    data: data.objects, height: 480, layout: "fitDataFill", nestedFieldSeparator: false,
    initialSort: state.has("sort") ? [{ column: state.get("sort"), dir: state.get("dir") || "asc" }] : [],
    initialHeaderFilter: [...state].filter(([k]) => k.startsWith("f.") && data.columns.includes(k.slice(2)))
      .map(([k, value]) => ({ field: k.slice(2), value })),
    columns: data.columns.map((name, i) => ({
      title: name, field: name, sorter: data.numbers[i] ? "number" : "alphanum", hozAlign: data.numbers[i] ? "right" : "left",
      formatter: "plaintext", headerFilter: "input", headerFilterFunc: passes, headerFilterPlaceholder: "filter", maxWidth: 320,
      visible: data.objects.some(r => r[name] != null), // a column without values says nothing
    })),
  });
  grid.on("tableBuilt", zoomed);
  grid.on("dataFiltered", (_, shown) => count(shown.length));
  grid.on("dataSorted", sorters => {
    set("sort", sorters[0]?.field);
    set("dir", sorters[0]?.dir);
  });
  grid.on("dataFiltered", () => {
    for (const key of [...state.keys()].filter(k => k.startsWith("f."))) state.delete(key);
    for (const f of grid.getHeaderFilters()) set("f." + f.field, f.value);
  });
}

async function show() {
  const policy = state.get("policy");
  data = await get("tables/" + encodeURIComponent(state.get("table")) + (policy ? "?policy=" + encodeURIComponent(policy) : ""));
  data.objects = data.rows.map(r => Object.fromEntries(data.columns.map((c, i) => [c, r[i] ?? null])));
  const numbers = data.columns.filter((c, i) => data.numbers[i] && data.objects.some(r => r[c] != null));
  if (!numbers.includes(state.get("x"))) set("x", numbers.find(c => /start|cycle|first/.test(c)) ?? numbers[0]);
  if (!numbers.includes(state.get("y"))) set("y", numbers.find(c => c !== state.get("x")) ?? numbers[0]);
  fill(element("x"), numbers, state.get("x"));
  fill(element("y"), numbers, state.get("y"));
  count(data.rows.length);
  drawPlot();
  drawGrid();
}

function forget(table) {
  for (const key of [...state.keys()]) if (key !== "policy" && key !== "table" && (table || !/^[xy]$/.test(key))) state.delete(key);
  save();
}
const failed = e => { element("count").textContent = e.message; };
const redraw = () => show().catch(failed);

async function start() {
  const tables = await get("tables"), runs = await get("tables/runs");
  if (!tables.includes(state.get("table"))) set("table", "runs");
  fill(element("table"), tables, state.get("table"));
  const at = runs.columns.indexOf("policy"), policies = [...new Set(runs.rows.map(r => r[at]))];
  fill(element("policy"), ["", ...policies], state.get("policy") ?? "");
  element("table").onchange = e => { forget(true); set("table", e.target.value); redraw(); };
  element("policy").onchange = e => { set("policy", e.target.value); redraw(); };
  for (const id of ["x", "y"]) {
    element(id).onchange = e => { set(id, e.target.value); set("from", ""); set("to", ""); zoomed(); drawPlot(); };
  }
  element("reset").onclick = () => { forget(false); redraw(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawPlot);
  addEventListener("resize", () => plot?.setSize({ width: element("plot").clientWidth, height: 300 }));
  await show();
}
start().catch(failed);
