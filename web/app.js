/* app.js: the page where JavaScript runs: it searches as one types, by the same API as any program.
 *
 * The server sends a page that works without this module. Its form and its results are taken over
 * in place. All text becomes text nodes, never markup. The address holds the state:
 * /?q=&mode=&index=&from= as the server reads it, and behind the # what only this page knows:
 * "timeline=POLICY", "timeline=POLICY,AGAINST" or "dashboard". */

const PAGE = 10, WAIT_MS = 120;
export const $ = id => document.getElementById(id);

/* An element with attributes, listeners (on...) and children: elements or text. */
export function h(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on'))
      e.addEventListener(name.slice(2), value);
    else if (value !== false && value != null)
      e.setAttribute(name, value === true ? '' : value);
  e.append(...children.flat().filter(c => c != null && c !== false));
  return e;
}

export const count = n => n.toLocaleString('en');

export function time(us) {
  if (us < 1e3) return us.toFixed(1) + ' \u00b5s';
  return us < 1e6 ? (us / 1e3).toFixed(2) + ' ms' : (us / 1e6).toFixed(2) + ' s';
}

/* A GET whose failure is an error with the service's words. */
export async function get(path, params, signal) {
  const reply = await fetch(path + '?' + new URLSearchParams(params), {signal});
  const body = await reply.json();
  if (!reply.ok) throw Object.assign(new Error(body.error.message), body.error);
  return body;
}

/* ---- The state, and the address that holds it ------------------------------------------- */

const form = $('form'), query = $('q'), results = $('results');
const own = document.body.dataset.policy;
const state = {
  from: 0,
  view: '',
  policy: own,
  against: ''
};
let shown = null; /* the reply on the page */
let flight = null, timer = 0, typed = false;

export const index = () =>
  (form.elements.index ? form.elements.index.value : document.body.dataset.index);
const mode = () => form.elements.mode.value;

function address(q, from, hash) {
  const search = q ? '?' + new URLSearchParams({q, mode: mode(), index: index(), from}) : '';
  return '/' + search + (hash === undefined ? fragment() : hash);
}

function fragment() {
  if (state.view !== 'timeline') return state.view ? '#' + state.view : '';
  return '#timeline=' + state.policy + (state.against ? ',' + state.against : '');
}

function readAddress() {
  const params = new URLSearchParams(location.search), hash = location.hash.slice(1);
  const [view, policies] = hash.split('=');
  query.value = params.get('q') || '';
  if (params.has('mode')) form.elements.mode.value = params.get('mode');
  state.from = Number(params.get('from')) || 0;
  state.view = view === 'timeline' || view === 'dashboard' ? view : '';
  if (state.view === 'timeline') [state.policy, state.against = ''] = (policies || own).split(',');
}

/* Keystrokes replace one entry of the history; everything else adds one. */
function remember(isTyped) {
  const to = address(query.value.trim(), state.from);
  if (to === location.pathname + location.search + location.hash) return;
  if (isTyped && typed)
    history.replaceState(null, '', to);
  else
    history.pushState(null, '', to);
  typed = isTyped;
}

/* ---- Searching -------------------------------------------------------------------------- */

function parameters(q, policy) {
  const p = {q, mode: mode(), from: state.from, k: PAGE, snippet: true};
  if (state.view === 'timeline') p.timeline = true;
  if (policy !== own) p.policy = policy;
  return p;
}

async function search() {
  const q = query.value.trim();
  clearTimeout(timer);
  if (flight) flight.abort();
  flight = new AbortController();
  const signal = flight.signal, path = '/v1/' + index() + '/search';
  document.title = (q ? q + ' - ' : '') + 'Riposte';
  if (!q) {
    shown = null;
    results.replaceChildren();
    return showTimeline([]);
  }
  results.setAttribute('aria-busy', 'true');
  try {
    const isCompared = state.view === 'timeline' && state.against;
    const first = get(path, parameters(q, state.view === 'timeline' ? state.policy : own), signal);
    const second =
      isCompared ? get(path, parameters(q, state.against), signal).catch(e => e) : null;
    shown = await first;
    render(shown);
    showTimeline(second ? [shown, await second] : [shown]);
  } catch (e) {
    if (e.name === 'AbortError') return;
    renderError(e, q);
    showTimeline([]);
  }
  if (!signal.aborted) results.removeAttribute('aria-busy');
}

function go(q, from, isTyped) {
  query.value = q;
  state.from = from;
  remember(isTyped);
  return search();
}

/* ---- Results ---------------------------------------------------------------------------- */

function pieces(snippet) {
  return snippet.pieces.map(([text, isMarked]) => (isMarked ? h('mark', {}, text) : text));
}

function link(q, from, label, more) {
  return h('a', {href: address(q, from), ...more}, label);
}

function hitItem(reply, hit) {
  const to = address(reply.query, state.from, '') + '&' + new URLSearchParams({doc: hit.id});
  const item = h('li', {}, h('h2', {}, h('a', {href: to}, hit.title || hit.id)));
  if (hit.snippet && hit.snippet.text) item.append(h('p', {}, pieces(hit.snippet)));
  item.append(h('p', {class: 'score'}, hit.id + ', score ' + hit.score.toFixed(4)));
  addTools(item, hit.id);
  return item;
}

/* The button that shows how a hit came by its score. */
function addTools(item, id) {
  const button =
    h('button', {type: 'button', class: 'quiet', 'aria-expanded': 'false', onclick: toggle},
      'Why this score');
  async function toggle() {
    const open = item.querySelector('.tree');
    button.setAttribute('aria-expanded', String(!open));
    if (open) return open.remove();
    const {scoreTree} = await import('./timeline.js');
    item.append(await scoreTree(query.value.trim(), id));
  }
  item.querySelector('.score').append(' ', button);
}

function corrected(q, c) {
  const at = q.indexOf(c.word);
  return at < 0 ? c.instead : q.slice(0, at) + c.instead + q.slice(at + c.word.length);
}

function summary(reply) {
  if (reply.has_no_words)
    return 'The query has no words to search for: all are stop words or punctuation.';
  if (!reply.hits.length) return state.from ? 'No more documents.' : 'No document matches.';
  return (reply.total_is_exact ? '' : 'at least ') + count(reply.total) +
    (reply.total === 1 ? ' document, ' : ' documents, ') + time(reply.seconds * 1e6) +
    ', processor ' + reply.processor +
    (reply.is_or_fallback ? '; too few have all words, so these have any' : '') +
    (reply.is_partial ? '; the time was over: there may be better ones' : '');
}

function pages(reply) {
  const nav = h('nav', {'aria-label': 'Pages'});
  if (state.from > 0)
    nav.append(link(reply.query, Math.max(0, state.from - PAGE), 'Previous', {rel: 'prev'}));
  if (reply.hits.length === PAGE && state.from + PAGE <= 9990)
    nav.append(link(reply.query, state.from + PAGE, 'Next', {rel: 'next'}));
  return nav;
}

function render(reply) {
  const list = h('ol', {start: state.from + 1}, reply.hits.map(hit => hitItem(reply, hit)));
  const meant =
    (reply.corrections || [])
      .map(
        c =>
          h('p', {class: 'meant'}, 'No document has \u201c' + c.word + '\u201d. Did you mean ',
            link(corrected(reply.query, c), 0, c.instead), '?'));
  results.replaceChildren(
    ...meant, h('p', {class: 'note', role: 'status'}, summary(reply)), list, pages(reply));
}

function renderError(e, q) {
  const parts = [h('p', {class: 'error', role: 'alert'}, e.message)];
  if (e.column)
    parts.push(
      h('pre', {'aria-hidden': 'true'},
        q + '\n' +
          ' '.repeat(Math.min(e.column - 1, 1000)) + '^'));
  results.replaceChildren(...parts);
}

/* ---- Views ------------------------------------------------------------------------------ */

const timelineButton =
  h('button',
    {type: 'button', id: 'timeline-button', 'aria-expanded': 'false', onclick: toggleTimeline},
    'Timeline');
const timeline = h('section', {id: 'timeline', 'aria-label': 'Timeline', hidden: true});
const dashboard = h('section', {id: 'dashboard', 'aria-label': 'Dashboard', hidden: true});

async function showTimeline(replies) {
  if (state.view !== 'timeline') return;
  const module = await import('./timeline.js');
  module.show(
    timeline, replies, {own, policies : document.body.dataset.policies.split(' '), ...state},
    (policy, against) => {
      Object.assign(state, {policy, against});
      remember(false);
      search();
    });
}

function showView() {
  const isDashboard = state.view === 'dashboard';
  timeline.hidden = state.view !== 'timeline';
  timelineButton.setAttribute('aria-expanded', String(!timeline.hidden));
  dashboard.hidden = !isDashboard;
  for (const e of [form, $('help'), results]) e.hidden = isDashboard;
  $('to-search').toggleAttribute('aria-current', !isDashboard);
  $('to-dashboard').toggleAttribute('aria-current', isDashboard);
  if (isDashboard)
import('./dashboard.js').then(m => state.view === 'dashboard' && m.start(dashboard));
  else if (dashboard.firstChild) import('./dashboard.js').then(m => m.stop());
}

function setView(view) {
  if (view === 'timeline' && state.view !== 'timeline')
    Object.assign(state, {policy: own, against: ''});
  state.view = view;
  remember(false);
  showView();
}

function toggleTimeline() {
  setView(state.view === 'timeline' ? '' : 'timeline');
  if (state.view === 'timeline') search();
}

/* ---- Keys ------------------------------------------------------------------------------- */

function moveAmongHits(step) {
  const links = [...results.querySelectorAll('li h2 a')];
  const at = links.findIndex(a => a.closest('li').contains(document.activeElement));
  const to = links[Math.max(0, Math.min(links.length - 1, at + step))];
  if (to) to.focus();
}

const click = selector => {
  const e = results.querySelector(selector);
  if (e) e.click();
};
const keys = {
  '/': () => {
    query.focus();
    query.select();
  },
  j: () => moveAmongHits(1),
  k: () => moveAmongHits(-1),
  n: () => click('a[rel=next]'),
  p: () => click('a[rel=prev]'),
  t: toggleTimeline,
  s: () => {
    const item = document.activeElement.closest('#results li');
    if (item) item.querySelector('button').click();
  },
  '?': () => {
    $('help').open = !$('help').open;
  },
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target === query && event.key === 'ArrowDown') {
    event.preventDefault();
    return moveAmongHits(1);
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || state.view === 'dashboard') return;
  if (Object.hasOwn(keys, event.key)) {
    event.preventDefault();
    keys[event.key]();
  }
}

/* Links of this page that need no new one. */
function onClick(event) {
  const a = event.target.closest('a');
  if (!a || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const to = new URL(a.href);
  if (a.closest('nav[aria-label=Views]')) {
    event.preventDefault();
    return setView(to.hash.slice(1));
  }
  if (!a.closest('#results, #help') || to.pathname !== '/' || to.searchParams.has('doc')) return;
  event.preventDefault();
  go(to.searchParams.get('q'), Number(to.searchParams.get('from')) || 0, false)
    .then(() => scrollTo(0, 0));
}

/* ---- Start ------------------------------------------------------------------------------ */

function takeOver() {
  document.documentElement.classList.add('on');
  form.append(timelineButton);
  $('help').after(timeline);
  $('results').after(dashboard);
  for (const item of results.querySelectorAll('li')) {
    const id = new URL(item.querySelector('a').href).searchParams.get('doc');
    addTools(item, id);
  }
  form.addEventListener('submit', e => {
    e.preventDefault();
    go(query.value, 0, false);
  });
  query.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => go(query.value, 0, true), WAIT_MS);
  });
  form.elements.mode.addEventListener('change', () => go(query.value, 0, false));
  if (form.elements.index) form.elements.index.addEventListener('change', () => form.submit());
  document.addEventListener('keydown', onKey);
  document.addEventListener('click', onClick);
  addEventListener('popstate', () => {
    typed = false;
    readAddress();
    if (new URLSearchParams(location.search).has('doc')) return location.reload();
    showView();
    search();
  });
  const before = query.value;
  readAddress();
  if (before && before !== query.value)
    query.value = before; /* typed while this module came */
  showView();
  if (
    state.view === 'timeline' ||
    query.value !== (new URLSearchParams(location.search).get('q') || ''))
    search();
}

takeOver();
