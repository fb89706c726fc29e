/* timeline.js: how an answer was made: lanes of each processor, estimates beside what it took,
 * moves and their reasons, the lists of the terms, and the score tree of a hit. Draws the reply's
 * `timeline`, and nothing that is not in it. */
import {count, get, h, index, time} from './app.js';

/* ---- Lanes ------------------------------------------------------------------------------ */

const end = s => s.began_us + Math.max(s.took_us, s.estimated_us || 0);
const span = replies => Math.max(1, ...replies.flatMap(r => r.timeline.steps.map(end)));

function place(e, began, took, all) {
  e.style.left = (100 * began / all).toFixed(3) + '%';
  e.style.width = (100 * took / all).toFixed(3) + '%';
  return e;
}

function bar(kind, label, began, took, all, more) {
  const e = h('span', {
    class: 'bar ' + kind,
    title: label + ', ' + time(took),
    'data-began': began,
    'data-took': took,
    ...more
  });
  if (took / all > 0.12) e.append(label);
  return place(e, began, took, all);
}

/* Queues first, then processors in the order in which they began. */
function lanes(reply, all) {
  const rows = new Map([['queue', []]]);
  for (const s of reply.timeline.steps) {
    const name = s.processor || 'none';
    if (!rows.has(name)) rows.set(name, []);
    const row = rows.get(name);
    const data = {'data-stage': s.stage, 'data-processor': name};
    if (s.stage !== 'place') {
      row.push(bar('step p-' + name, s.stage, s.began_us, s.took_us, all, data));
      continue;
    }
    rows.get('queue').push(bar(
      'queue', 'queue', s.began_us - s.queued_us, s.queued_us, all,
      {'data-stage': 'queue', 'data-processor': name}));
    row.push(bar(
      'place p-' + name, '', s.began_us, s.took_us, all,
      {...data, title: 'placed on ' + name + ', ' + time(s.took_us)}));
    row.push(bar(
      'estimate', '', s.began_us, s.estimated_us, all,
      {...data, 'data-stage': 'estimate', title: 'estimate ' + time(s.estimated_us)}));
  }
  return h(
    'div', {
      class: 'lanes',
      role: 'img',
      'aria-label':
        'Lanes of each processor from 0 to ' + time(all) + '; the tables have the figures'
    },
    [...rows].map(
      ([name, bars]) =>
        h('div', {class: 'lane', 'data-lane': name}, h('b', {}, name),
          h('div', {class: 'track'}, bars))),
    h('div', {class: 'scale'}, h('span', {}, '0'), h('span', {}, time(all / 2)),
      h('span', {}, time(all))));
}

/* ---- Tables ----------------------------------------------------------------------------- */

export function table(name, heads, rows) {
  const isNumber = i => heads[i].startsWith('#');
  const cell = (tag, text, i, more) => h(tag, {class: isNumber(i) ? 'n' : null, ...more}, text);
  return h(
    'div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name},
    h('table', {}, h('caption', {}, name),
      h('thead', {},
        h('tr', {}, heads.map((t, i) => cell('th', t.replace('#', ''), i, {scope: 'col'})))),
      h('tbody', {}, rows.map(row => h('tr', {}, row.map((t, i) => cell('td', t, i)))))));
}

function placements(reply) {
  const rows = reply.timeline.steps.filter(s => s.stage === 'place')
                 .map(
                   s =>
                     [s.processor || 'none', time(s.queued_us), time(s.estimated_us),
                      time(s.took_us), s.reason]);
  return table('Placements', ['processor', '#queued', '#estimate', '#took', 'reason'], rows);
}

function steps(reply) {
  const rows = reply.timeline.steps.filter(s => s.stage !== 'place')
                 .map(
                   s =>
                     [s.stage, s.processor || 'none', time(s.began_us), time(s.took_us),
                      count(s.elements), count(s.bytes)]);
  return table('Steps', ['stage', 'processor', '#began', '#took', '#elements', '#bytes'], rows);
}

function lists(reply) {
  const rows = reply.timeline.lists.map(
    l =>
      [l.term, count(l.postings), l.codec, l.bits_a_posting.toFixed(2), count(l.blocks),
       l.blocks_read === null ? 'not counted' : count(l.blocks_read),
       l.blocks_skipped === null ? 'not counted' : count(l.blocks_skipped), count(l.bytes)]);
  return table(
    'Lists',
    ['term', '#postings', 'codec', '#bits a posting', '#blocks', '#read', '#skipped', '#bytes'],
    rows);
}

function facts(reply) {
  const t = reply.timeline, all = t.lists.reduce((sum, l) => sum + l.postings, 0);
  const rows = [
    ['answered by', reply.processor], ['took', time(reply.seconds * 1e6)],
    ['moves', count(t.moves)], ['answered together', count(t.together)],
    ['postings read', count(reply.postings) + ' of ' + count(all)], ['work', count(reply.work)]
  ];
  const card = [
    ['kernel launches', t.gpu.launches, ''], ['copied to the card', t.gpu.uploaded_bytes, ' bytes'],
    ['transcoded there', t.gpu.transcoded_postings, ' postings'],
    ['decoded by the host', t.gpu.host_decoded_postings, ' postings']
  ];
  for (const [name, n, unit] of card)
    if (n) rows.push([name, count(n) + unit]);
  if (t.gpu.fallback) rows.push(['not by the card', t.gpu.fallback]);
  return h(
    'dl', {class: 'facts'},
    rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

/* ---- The panel -------------------------------------------------------------------------- */

function column(reply, all, isAlone) {
  if (reply instanceof Error)
    return h('div', {class: 'column'}, h('p', {class: 'error', role: 'alert'}, reply.message));
  return h(
    'div', {class: 'column', 'data-policy': reply.timeline.policy},
    h('h3', {}, 'Policy ' + reply.timeline.policy), lanes(reply, all), facts(reply),
    h('div', {class: 'tables'}, placements(reply), steps(reply), isAlone && lists(reply)));
}

function choice(label, name, options, value, onchange) {
  return h(
    'label', {class: 'small'}, label,
    h('select', {name, onchange},
      options.map(([v, text]) => h('option', {value: v, selected: v === value}, text))));
}

const answer = reply => JSON.stringify(reply.hits.map(hit => [hit.id, hit.fixed]));

function verdict(replies) {
  if (replies.length < 2 || replies.some(r => r instanceof Error)) return null;
  const same = answer(replies[0]) === answer(replies[1]);
  return h(
    'p', {class: same ? 'note' : 'error', id: 'verdict'},
    same ? 'Both have the same documents, order and scores. One scale for both.' :
           'The answers differ.');
}

/* The controls stay, so that who uses them keeps the focus. */
export function show(panel, replies, state, onchange) {
  if (!panel.firstChild) {
    const named =
      state.policies.map(p => [p, p + (p === state.own ? ' (the service\u2019s)' : '')]);
    const chosen = () => onchange(
      panel.querySelector('[name=policy]').value, panel.querySelector('[name=against]').value);
    panel.append(
      h('div', {class: 'controls'}, choice('Policy', 'policy', named, state.policy, chosen),
        choice('Side by side with', 'against', [['', 'none'], ...named], state.against, chosen)),
      h('div', {id: 'drawn', 'aria-live': 'polite'}));
  }
  panel.querySelector('[name=policy]').value = state.policy;
  panel.querySelector('[name=against]').value = state.against;
  const drawn = panel.querySelector('#drawn'), good = replies.filter(r => r.timeline);
  if (!good.length)
    return drawn.replaceChildren(
      replies.length ? column(replies[0]) :
                       h('p', {class: 'note'}, 'A query\u2019s timeline is shown here.'));
  const all = span(good);
  const isAlone = replies.length === 1,
        columns = h('div', {class: 'columns'}, replies.map(r => column(r, all, isAlone)));
  const legend = h('p', {class: 'note'},
    'The line below a lane is what a placement took, the dark part of it the estimate.');
  drawn.replaceChildren(
    ...[verdict(replies), columns, !isAlone && lists(good[0]), legend].filter(Boolean));
}

/* ---- The score of a hit ----------------------------------------------------------------- */

function node(n) {
  const more = n.df ? ' (tf ' + n.tf + ', df ' + count(n.df) + ', weight ' + n.weight.toFixed(3) +
      ', norm ' + n.norm.toFixed(3) + ')' :
                      '';
  return h(
    'li', {class: n.matches ? null : 'off'},
    h('span', {}, h('b', {}, n.score.toFixed(4)), ' ' + n.label, h('small', {}, more)));
}

export async function scoreTree(q, id) {
  let reply;
  try {
    reply = await get('/v1/' + index() + '/explain', {q, id});
  } catch (e) {
    return h('p', {class: 'tree error', role: 'alert'}, e.message);
  }
  const root = h('ul', {class: 'tree'}), open = [root]; /* open[n]: where nodes of level n go */
  for (const n of reply.explain) {
    const item = node(n), below = h('ul');
    open[n.level].append(item);
    item.append(below);
    open[n.level + 1] = below;
  }
  for (const ul of root.querySelectorAll('ul:empty')) ul.remove();
  return root;
}
