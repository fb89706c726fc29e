/* dashboard.js: the service's figures, live. Each sample of /v1/events has counters since the
 * start; rates and quantiles are differences over the last seconds. */
import {count, h, time} from './app.js';

const KEPT = 61, WINDOW = 10; /* samples that are drawn, and that figures are of */
const SVG = 'http://www.w3.org/2000/svg';
let source = null, samples = [], parts = null;

function svg(tag, attributes, ...children) {
  const e = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

/* ---- Figures ---------------------------------------------------------------------------- */

const minus = (a, b) => a.map((x, i) => x - b[i]);
const sum = list => list.reduce((a, b) => a + b, 0);
const seconds = (a, b) => Math.max(0.001, b.seconds - a.seconds);

/* Buckets of all processors, between two samples. */
function buckets(a, b) {
  return Object.keys(b.queries)
    .map(p => minus(b.queries[p], a.queries[p]))
    .reduce((x, y) => x.map((v, i) => v + y[i]));
}

/* Microseconds within which a share of the queries ended: by line within a bucket; null: there were
 * none. */
export function quantile(list, bounds, share) {
  const all = sum(list);
  let left = share * all;
  if (!all) return null;
  for (let i = 0; i < bounds.length; i++) {
    const low = i ? bounds[i - 1] : 0;
    if (list[i] && left <= list[i]) return low + (bounds[i] - low) * left / list[i];
    left -= list[i];
  }
  return bounds[bounds.length - 1];
}

/* ---- Drawing ---------------------------------------------------------------------------- */

function line(values, top, className) {
  const points = values
                   .map(
                     (v, i) => v == null ? null :
                                           (i + KEPT - 1 - values.length) * 100 / (KEPT - 2) + ',' +
                         (38 - 36 * v / top))
                   .filter(Boolean);
  return svg('polyline', {points: points.join(' '), class: 'line ' + className});
}

function chart(label, show, series) {
  const top = Math.max(1, ...series.flatMap(([, values]) => values.map(v => v || 0)));
  const drawing = svg(
    'svg', {viewBox: '0 0 100 40', preserveAspectRatio: 'none', role: 'img', 'aria-label': label},
    svg('line', {x1: 0, x2: 100, y1: 38, y2: 38, class: 'axis'}),
    ...series.map(([name, values]) => line(values, top, name)));
  return h('div', {}, drawing, h('p', {class: 'note'}, 'the last minute, 0 to ' + show(top)));
}

function shares(list) {
  const all = sum(list.map(([, n]) => n)), most = Math.max(...list.map(([, n]) => n));
  if (!all) return h('p', {class: 'note'}, 'none in the last ' + WINDOW + ' s');
  return h('table', {}, h('tbody', {}, list.filter(([, n]) => n).map(([name, n]) => {
             const bar = h('span', {class: 'share p-' + name});
             bar.style.width = (100 * n / most).toFixed(1) + '%';
             return h(
               'tr', {}, h('th', {scope: 'row'}, name), h('td', {class: 'n'}, count(n)),
               h('td', {class: 'n'}, (100 * n / all).toFixed(0) + '%'),
               h('td', {class: 'wide'}, bar));
           })));
}

function figures(rows) {
  return h(
    'dl', {class: 'figures'},
    rows.map(([name, value]) => h('div', {}, h('dt', {class: name}, name), h('dd', {}, value))));
}

function tile(id, title) {
  const value = h('p', {class: 'value', id}, '\u2013'), body = h('div', {});
  parts[id] = {value, body};
  return h('div', {class: 'tile t-' + id}, h('h3', {}, title), value, body);
}

function build(panel) {
  parts = {};
  panel.replaceChildren(
    h('h2', {}, 'Dashboard'),
    h('p', {class: 'note', id: 'live', role: 'status'}, 'Waiting for the first sample.'),
    h('div', {class: 'tiles'}, tile('rate', 'Queries a second'), tile('latency', 'Time of a query'),
      tile('processors', 'Answered by'), tile('batches', 'Queries a card answered together'),
      tile('queue', 'Queries that wait'), tile('cache', 'Result cache'),
      tile('service', 'The service since its start')));
}

function set(id, text, ...body) {
  parts[id].value.textContent = text;
  parts[id].body.replaceChildren(...body);
}

/* Between neighbours: what each second had. */
const each = f => samples.slice(1).map((b, i) => f(samples[i], b));

function drawTimes(a, b) {
  const of = (x, y, share) => quantile(buckets(x, y), b.bounds_us, share);
  const shown =
    [['p50', 0.5], ['p95', 0.95], ['p99', 0.99]].map(([name, share]) => [name, of(a, b, share)]);
  set(
    'latency', '', figures(shown.map(([name, v]) => [name, v == null ? '\u2013' : time(v)])),
    chart('p50, p95 and p99 of each second', time, [
      ['p99', each((x, y) => of(x, y, 0.99))], ['p95', each((x, y) => of(x, y, 0.95))],
      ['p50', each((x, y) => of(x, y, 0.5))]
    ]));
}

function drawCache(a, b) {
  if (!b.cache) return set('cache', '\u2013', h('p', {class: 'note'}, 'The service sends no figures of one.'));
  const hits = b.cache.hits - a.cache.hits, all = hits + b.cache.misses - a.cache.misses;
  set(
    'cache', all ? (100 * hits / all).toFixed(0) + '% hits' : '\u2013',
    h('p', {class: 'note'},
      count(b.cache.bytes) + ' bytes, ' + count(b.cache.hits) + ' hits in all'));
}

function draw() {
  const b = samples[samples.length - 1], a = samples[Math.max(0, samples.length - 1 - WINDOW)];
  const total = s => sum(Object.values(s.queries).flat());
  const size = i =>
    (i < 2                      ? String(i + 1) :
       i < b.batches.length - 1 ? 2 ** (i - 1) + 1 + '\u2013' + 2 ** i :
                                  'more');
  const sizes = minus(b.batches, a.batches).map((n, i) => [size(i), n]);
  set(
    'rate', ((total(b) - total(a)) / seconds(a, b)).toFixed(1),
    chart(
      'queries of each second', v => v.toFixed(1),
      [['rate', each((x, y) => (total(y) - total(x)) / seconds(x, y))]]));
  drawTimes(a, b);
  set(
    'processors', '',
    shares(Object.keys(b.queries).map(p => [p, sum(b.queries[p]) - sum(a.queries[p])])));
  set('batches', '', shares(sizes));
  set(
    'queue', count(b.queued), h('p', {class: 'note'}, count(b.running) + ' are being answered'),
    chart('queries that wait', count, [['rate', each((x, y) => y.queued)]]));
  drawCache(a, b);
  set('service', '', figures([
        ['requests', count(b.requests)], ['refused', count(b.rejected)], ['moves', count(b.moves)],
        ['connections now', count(b.connections)]
      ]));
  document.getElementById('live').textContent = 'Live: a sample a second, ' + count(total(b)) +
    ' queries since the start; figures are of the last ' + WINDOW + ' s.';
}

export function start(panel) {
  if (source) return;
  build(panel);
  samples = [];
  source = new EventSource('/v1/events');
  source.onmessage = event => {
    samples = [...samples, JSON.parse(event.data)].slice(-KEPT);
    draw();
  };
  source.onerror = () => {
    document.getElementById('live').textContent = 'The service does not answer; trying again.';
  };
}

export function stop() {
  if (source) source.close();
  source = null;
}
