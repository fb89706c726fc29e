// The page in chromium: what it shows equals what the API replies.
import {strict as assert} from 'node:assert';
import {mkdirSync, writeFileSync} from 'node:fs';

import {
  Service, WORK, faint, main, nameless, open, pageOf, run, searchBy, texts
} from './harness.mjs';

const service = await Service.start([WORK + '/demo.rip'], '--policy', 'griffin');
const cpu = await Service.start([WORK + '/demo.rip'], '--policy', 'cpu');
const browser = await open();
const MOVED = 'music the player';  // the card meets the short lists, then a core goes on
const SHOTS = process.env.SHOTS;

/* A page, closed after the check; scripts on it must not have failed. */
async function visit(path, check, options = {}) {
  const page = await pageOf(browser, options);
  try {
    await page.goto((options.on || cpu).url + path);
    await check(page);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.context().close();
  }
}

async function shoot(page, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, {recursive: true});
  await page.screenshot({path: `${SHOTS}/${name}.png`});
}

const count = n => n.toLocaleString('en');
const time = us =>
  (us < 1e3   ? us.toFixed(1) + ' \u00b5s' :
     us < 1e6 ? (us / 1e3).toFixed(2) + ' ms' :
                (us / 1e6).toFixed(2) + ' s');
const titles = page => texts(page, '#results li h2 a');
const type = (page, q) => searchBy(page, () => page.fill('#q', q), p => p.get('q') === q.trim());
const timelineAt = path =>
  '/?' + new URLSearchParams({q: MOVED, mode: 'and', index: 'demo', from: 0}) + path;

/* ---- 1. Searching ----------------------------------------------------------------------- */

async function a_first_search() {
  const page = await pageOf(browser);
  const wire = await page.context().newCDPSession(page);
  let requests = 0, bytes = 0;
  await wire.send('Network.enable');
  wire.on('Network.requestWillBeSent', () => requests++);
  wire.on('Network.loadingFinished', e => {
    bytes += e.encodedDataLength;
  });
  await page.goto(cpu.url + '/');
  await page.waitForSelector('html.on');
  const usable = await page.evaluate(() => performance.now());
  const reply = await type(page, 'text editor');
  await page.waitForSelector('#results li');
  assert.ok(requests <= 4, requests + ' requests');
  assert.ok(bytes > 5000 && bytes <= 60 * 1024, bytes + ' bytes');
  console.log(
    `# usable after ${usable.toFixed(0)} ms; a first search: ${requests} requests, ${bytes} bytes`);
  assert.deepEqual(await titles(page), reply.hits.map(h => h.title));
  await shoot(page, 'search');
  await page.context().close();
}

async function hits_and_snippets_are_the_replys() {
  await visit('/', async page => {
    const reply = await type(page, 'text editor');
    await page.waitForSelector('#results mark');
    for (const [i, hit] of reply.hits.entries()) {
      const item = page.locator('#results li').nth(i);
      assert.equal(await item.locator('p').first().textContent(), hit.snippet.text);
      assert.deepEqual(
        await item.locator('mark').allTextContents(),
        hit.snippet.pieces.filter(p => p[1]).map(p => p[0]));
      assert.ok((await item.locator('.score').textContent())
                  .includes(hit.id + ', score ' + hit.score.toFixed(4)));
    }
    assert.ok(page.url().includes('q=text+editor'), page.url());
  });
}

async function an_older_search_is_aborted() {
  await visit('/', async page => {
    const failed = [];
    let release;
    const held = new Promise(resolve => {
      release = resolve;
    });
    page.on('requestfailed', r => failed.push(new URL(r.url()).searchParams.get('q')));
    await page.route(/search\?q=music&/, async route => {
      await held;
      await route.continue().catch(() => {});
    });
    await Promise.all([page.waitForRequest(/search\?q=music&/), page.fill('#q', 'music')]);
    const reply = await type(page, 'text editor');
    release();
    await page.waitForSelector('#results li');
    assert.deepEqual(failed, ['music']);
    assert.deepEqual(await titles(page), reply.hits.map(h => h.title));
  });
}

async function pages_and_the_address() {
  await visit('/', async page => {
    const first = await type(page, 'system');
    await page.waitForSelector('a[rel=next]');
    const second = await searchBy(page, () => page.click('a[rel=next]'));
    await page.waitForSelector('a[rel=prev]');
    assert.deepEqual(await titles(page), second.hits.map(h => h.title));
    assert.equal(new URL(page.url()).searchParams.get('from'), '10');
    assert.equal(second.hits[0].rank, 11);
    assert.equal(await page.locator('#results ol').getAttribute('start'), '11');
    await searchBy(page, () => page.goBack());
    await page.waitForSelector('a[rel=prev]', {state: 'detached'});
    assert.deepEqual(await titles(page), first.hits.map(h => h.title));
    await page.goForward();
    await page.waitForSelector('a[rel=prev]');
    await page.reload();  // the server answers for the same address
    assert.deepEqual(await titles(page), second.hits.map(h => h.title));
  });
}

async function did_you_mean() {
  await visit('/', async page => {
    await type(page, 'musik player');
    const link = page.locator('#results .meant a');
    assert.equal(await link.textContent(), 'music');
    const reply = await searchBy(page, () => link.click());
    assert.equal(reply.query, 'music player');
    assert.equal(await page.inputValue('#q'), 'music player');
    await page.waitForSelector('.meant', {state: 'detached'});
  });
}

async function mistakes_are_under_their_column() {
  await visit('/', async page => {
    await page.fill('#q', 'music (player');
    await page.waitForSelector('.error');
    assert.match(await page.textContent('.error'), /column 7: '\(' is never closed/);
    assert.equal(await page.textContent('#results pre'), 'music (player\n      ^');
  });
}

async function examples_of_this_index() {
  await visit('/', async page => {
    await page.click('#help summary');
    const links = await page.locator('#help a').all();
    assert.ok(links.length >= 8);
    for (const link of links) {
      const reply = await searchBy(page, () => link.click());
      assert.ok(reply.hits.length > 0, reply.query);
    }
  });
}

async function a_document() {
  await visit('/?q=music+player', async page => {
    const title = (await titles(page))[0];
    const id = new URL(await page.locator('#results h2 a').first().getAttribute('href'), page.url())
                 .searchParams.get('doc');
    await page.locator('#results h2 a').first().click();
    await page.waitForSelector('#document');
    const stored = await cpu.get('/v1/docs/' + encodeURIComponent(id));
    assert.equal(await page.textContent('#document h2'), title);
    assert.equal((await page.textContent('#document .text')).trim(), stored.text.trim());
    assert.ok(await page.locator('#document mark').count() > 0);
    await page.click('text=Back to the hits');
    await page.waitForSelector('#results li');
    assert.equal((await titles(page))[0], title);
  });
}

/* ---- 2. How an answer was made ---------------------------------------------------------- */

const rows = async (page, name) => page.locator(`.column`).first().page().evaluate(
  n => [...document.querySelectorAll(`[aria-label="${n}"] tbody tr`)].map(
    r => [...r.cells].map(c => c.textContent)),
  name);

/* Bars of a column as [lane, stage, left, width]. */
const bars = column => column.evaluate(
  e => [...e.querySelectorAll('.bar')].map(
    b =>
      [b.closest('.lane').dataset.lane, b.dataset.stage, parseFloat(b.style.left),
       parseFloat(b.style.width)]));

function expectedBars(reply, all) {
  const share = us => 100 * us / all, out = [];
  for (const s of reply.timeline.steps) {
    if (s.stage === 'place') {
      out.push(['queue', 'queue', share(s.began_us - s.queued_us), share(s.queued_us)]);
      out.push([s.processor, 'estimate', share(s.began_us), share(s.estimated_us)]);
    }
    out.push([s.processor, s.stage, share(s.began_us), share(s.took_us)]);
  }
  return out;
}

async function expectLanes(page, i, reply, all) {
  const order = (a, b) => (a.join() < b.join() ? -1 : 1);
  const rounded = list =>
    list.map(([lane, stage, x, w]) => [lane, stage, x.toFixed(2), w.toFixed(2)]).sort(order);
  const got = await bars(page.locator('.column').nth(i)), wanted = expectedBars(reply, all);
  const near = (a, b) => Math.abs(a - b) < 0.002;
  assert.equal(got.length, wanted.length);
  for (const [lane, stage, x, w] of wanted)
    assert.ok(
      got.some(g => g[0] === lane && g[1] === stage && near(g[2], x) && near(g[3], w)),
      `${lane} ${stage} ${JSON.stringify(rounded(got))}`);
}

const span = replies => Math.max(
  1,
  ...replies.flatMap(
    r => r.timeline.steps.map(s => s.began_us + Math.max(s.took_us, s.estimated_us || 0))));

async function a_query_that_moved() {
  await visit('/', async page => {
    await page.selectOption('[name=mode]', 'and');
    await type(page, MOVED);
    const reply =
      await searchBy(page, () => page.click('#timeline-button'), p => p.get('timeline') === 'true');
    await page.waitForSelector('.lanes');
    const t = reply.timeline;
    assert.ok(t.moves >= 1 && t.policy === 'griffin');
    assert.deepEqual([...new Set(t.steps.map(s => s.processor))].sort(), ['cpu', 'gpu']);
    assert.deepEqual((await texts(page, '.lane b')).sort(), ['cpu', 'gpu', 'queue']);
    await expectLanes(page, 0, reply, span([reply]));
    assert.deepEqual(
      await rows(page, 'Placements'),
      t.steps.filter(s => s.stage === 'place')
        .map(
          s => [s.processor, time(s.queued_us), time(s.estimated_us), time(s.took_us), s.reason]));
    assert.deepEqual(
      await rows(page, 'Steps'),
      t.steps.filter(s => s.stage !== 'place')
        .map(
          s =>
            [s.stage, s.processor, time(s.began_us), time(s.took_us), count(s.elements),
             count(s.bytes)]));
    assert.deepEqual(
      await rows(page, 'Lists'),
      t.lists.map(
        l =>
          [l.term, count(l.postings), l.codec, l.bits_a_posting.toFixed(2), count(l.blocks),
           l.blocks_read === null ? 'not counted' : count(l.blocks_read),
           l.blocks_skipped === null ? 'not counted' : count(l.blocks_skipped), count(l.bytes)]));
    assert.ok(t.lists.every(l => l.blocks_read === null), 'steps count no blocks');
    const facts = await texts(page, '.facts div');
    for (const fact of
           ['answered by' + reply.processor, 'took' + time(reply.seconds * 1e6), 'moves' + t.moves,
            'answered together' + t.together,
            'postings read' + count(reply.postings) + ' of ' +
              count(t.lists.reduce((n, l) => n + l.postings, 0)),
            'work' + count(reply.work), 'kernel launches' + t.gpu.launches])
      assert.ok(facts.includes(fact), fact + ' in ' + facts);
    for (const stage of ['parse', 'look-up', 'names', 'snippets'])
      assert.ok(t.steps.some(s => s.stage === stage), stage);
    assert.ok(page.url().endsWith('#timeline=griffin'), page.url());
    await shoot(page, 'timeline');
  }, {on: service});
}

async function two_policies_side_by_side() {
  await visit(timelineAt('#timeline=griffin'), async page => {
    await page.waitForSelector('.lanes');
    const replies = [];
    page.on('response', async r => {
      if (r.url().includes('/search?')) replies.push(await r.json());
    });
    await page.selectOption('[name=against]', 'cpu');
    await page.waitForSelector('.column:nth-child(2) .lanes');
    replies.sort((a, b) => (a.timeline.policy < b.timeline.policy ? 1 : -1));
    assert.deepEqual(replies.map(r => r.timeline.policy), ['griffin', 'cpu']);
    assert.deepEqual(replies[0].hits, replies[1].hits);
    assert.ok(
      replies[1].timeline.lists.some(l => l.blocks_read > 0), 'the core that answers reads blocks');
    assert.deepEqual(await texts(page, '.column h3'), ['Policy griffin', 'Policy cpu']);
    for (const i of [0, 1]) await expectLanes(page, i, replies[i], span(replies));
    assert.match(await page.textContent('#verdict'), /same documents, order and scores/);
    assert.ok(page.url().endsWith('#timeline=griffin,cpu'), page.url());
    await shoot(page, 'side');
  }, {on: service});
}

async function the_score_of_a_hit() {
  await visit('/?q=text+editor', async page => {
    const [response] = await Promise.all(
      [page.waitForResponse(/explain/), page.locator('#results li button').first().click()]);
    const {explain} = await response.json();
    await page.waitForSelector('.tree');
    assert.deepEqual(await texts(page, '.tree span > b'), explain.map(n => n.score.toFixed(4)));
    const shown = await texts(page, '.tree li > span');
    for (const [i, n] of explain.entries())
      assert.ok(
        shown[i].includes(n.label) && (!n.df || shown[i].includes('df ' + count(n.df))), shown[i]);
    await page.locator('#results li button').first().click();
    assert.equal(await page.locator('.tree').count(), 0);
  });
}

async function the_dashboard() {
  await visit('/#dashboard', async page => {
    await page.locator('#live', {hasText: /^Live/}).waitFor();
    for (const q of ['music', 'editor', 'system']) await service.get('/v1/search', {q});
    await page.locator('#rate', {hasText: /[1-9]/}).waitFor();
    await page.locator('.t-latency dd', {hasText: /\d/}).first().waitFor();
    const shares = await texts(page, '.t-processors tr th');
    assert.ok(shares.length > 0 && shares.every(s => /cpu|gpu/.test(s)), shares);
    assert.ok((await texts(page, '.t-batches tr')).length > 0);
    assert.match(await page.textContent('#queue'), /^\d+$/);
    for (const id of ['rate', 'latency', 'processors', 'batches', 'queue', 'cache', 'service'])
      assert.ok(await page.locator('.t-' + id).isVisible(), id);
    await shoot(page, 'dashboard');
    await page.click('#to-search');
    assert.ok(await page.locator('#q').isVisible());
  }, {on: service});
}

/* ---- 3. Everybody ----------------------------------------------------------------------- */

async function without_javascript() {
  await visit('/', async page => {
    assert.ok(!await page.locator('nav[aria-label=Views]').isVisible());
    await page.fill('#q', 'system');
    await page.press('#q', 'Enter');
    await page.waitForSelector('#results li');
    assert.equal(await page.locator('#results li').count(), 10);
    assert.ok(await page.locator('#results mark').count() > 0);
    await page.click('a[rel=next]');
    assert.ok(page.url().includes('from=10'));
    await page.locator('#results h2 a').first().click();
    await page.waitForSelector('#document');
  }, {javaScriptEnabled: false});
}

const focused = page => page.evaluate(() => {
  const e = document.activeElement;
  return e.id || e.textContent.trim() || e.name;
});

async function keyboard_alone() {
  await visit('/', async page => {
    assert.equal(await focused(page), 'q');
    const reply = await searchBy(page, () => page.keyboard.insertText('system'));
    await page.waitForSelector('#results li');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(page), reply.hits[0].title);
    await page.keyboard.press('j');
    assert.equal(await focused(page), reply.hits[1].title);
    await page.keyboard.press('k');
    await page.keyboard.press('s');
    await page.waitForSelector('.tree');
    const second =
      await searchBy(page, () => page.keyboard.press('n'), p => p.get('from') === '10');
    await page.waitForSelector('a[rel=prev]');
    await page.keyboard.press('/');
    assert.equal(await focused(page), 'q');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(page), second.hits[0].title);
    await searchBy(page, () => page.keyboard.press('t'), p => p.get('timeline') === 'true');
    await page.waitForSelector('.lanes');
    await page.keyboard.press('t');
    assert.ok(!await page.locator('#timeline').isVisible());
    await page.keyboard.press('?');
    assert.ok(await page.locator('#help a').first().isVisible());
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#document');
  });
}

/* Tab goes through the page as one reads it, and what has the focus shows it. */
async function focus_goes_in_the_order_of_reading() {
  await visit('/?q=text+editor', async page => {
    const seen = [];
    await page.focus('h1 a');
    for (let i = 0; i < 14; i++) {
      await page.keyboard.press('Tab');
      seen.push(await page.evaluate(() => {
        const e = document.activeElement, box = e.getBoundingClientRect();
        return {
          name: e.id || e.textContent.trim() || e.name,
          top: box.top + scrollY,
          bottom: box.bottom + scrollY,
          left: box.left,
          outline: getComputedStyle(e).outlineStyle
        };
      }));
    }
    assert.deepEqual(
      seen.slice(0, 7).map(s => s.name),
      ['to-search', 'to-dashboard', 'q', seen[3].name, 'Search', 'timeline-button', 'Syntax']);
    assert.match(seen[7].name, /editor/);
    for (const [i, s] of seen.entries()) {
      assert.notEqual(s.outline, 'none', s.name);
      if (i)
        assert.ok(
          s.top >= seen[i - 1].bottom - 1 || s.left >= seen[i - 1].left || s.top > seen[i - 1].top,
          s.name);
    }
  });
}

async function it_fits_360_pixels() {
  const width = page => page.evaluate(() => document.scrollingElement.scrollWidth);
  const options = {viewport: {width: 360, height: 740}};
  await visit('/?q=text+editor', async page => {
    await page.click('#help summary');
    await page.locator('#results li button').first().click();
    await page.waitForSelector('.tree');
    assert.equal(await width(page), 360);
    await shoot(page, 'narrow');
    await searchBy(page, () => page.click('#timeline-button'));
    await page.waitForSelector('.lanes');
    await page.selectOption('[name=against]', 'auto');
    await page.waitForSelector('.column:nth-child(2) .lanes');
    assert.equal(await width(page), 360);
    await page.click('#to-dashboard');
    await page.locator('#live', {hasText: /^Live/}).waitFor();
    assert.equal(await width(page), 360);
  }, options);
  await visit(
    '/?q=text+editor', async page => assert.equal(await width(page), 360),
    {...options, javaScriptEnabled: false});
}

async function markup_stays_text() {
  const evil = '<script>alert(1)</script><img src=x onerror=alert(2)> <b>bold</b> &amp; "quoted"';
  writeFileSync(
    WORK + '/evil.jsonl',
    JSON.stringify({id: '<i>id</i>&"', title: 'word ' + evil, contents: 'word ' + evil}) + '\n');
  run('index', '-q', WORK + '/evil.jsonl', '-o', WORK + '/evil.rip');
  const odd = await Service.start([WORK + '/evil.rip'], '--policy', 'cpu');
  const clean = async page => assert.equal(
    await page.locator('main script, main img, main b:not(.tree b, .lane b), main i').count(), 0);
  await visit('/', async page => {
    await type(page, 'word');
    await page.waitForSelector('#results li');
    assert.equal((await titles(page))[0], 'word ' + evil);
    await page.locator('#results li button').first().click();
    await page.waitForSelector('.tree');
    await clean(page);
    await type(page, 'word "<b>bold</b>"');
    await page.waitForSelector('#results li');
    await searchBy(page, () => page.click('#timeline-button'));
    await page.waitForSelector('.lanes');
    await clean(page);
    await page.fill('#q', '<b>x</b> (');
    await page.waitForSelector('.error');
    await clean(page);
    await type(page, 'word');
    await page.locator('#results h2 a').first().click();
    await page.waitForSelector('#document');
    assert.equal(await page.textContent('#document h2'), 'word ' + evil);
    await clean(page);
  }, {on: odd});
  await odd.stop();
}

async function names_and_contrast() {
  for (const colorScheme of ['light', 'dark'])
    await visit(timelineAt('#timeline=cpu,griffin'), async page => {
      const good = async () => {
        assert.deepEqual(await nameless(page), []);
        assert.deepEqual(await faint(page, 4.5), []);
      };
      await page.waitForSelector('.column:nth-child(2) .lanes');
      await page.click('#help summary');
      await page.locator('#results li button').first().click();
      await page.waitForSelector('.tree');
      await page.waitForSelector('#results:not([aria-busy])');
      await good();
      await page.evaluate(() => {  // faults that must be found
        const p = document.body.appendChild(document.createElement('p'));
        p.textContent = 'faint';
        p.style.color = 'rgb(120, 120, 120)';
        p.style.backgroundColor = 'rgb(128, 128, 128)';
        p.append(document.createElement('button'));
      });
      assert.match(String(await faint(page, 4.5)), /^faint 1\./);
      assert.equal((await nameless(page)).length, 1);
      await page.evaluate(() => document.body.lastChild.remove());
      if (colorScheme === 'dark') await shoot(page, 'dark');
      await page.fill('#q', 'music (');
      await page.waitForSelector('.error');
      await good();
      await page.click('#to-dashboard');
      await page.locator('#live', {hasText: /^Live/}).waitFor();
      await good();
    }, {on: service, colorScheme});
}

async function nothing_from_elsewhere() {
  const reply = await fetch(cpu.url + '/');
  assert.ok(reply.headers.get('content-security-policy').startsWith("default-src 'self'"));
  assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
  let bytes = 0;
  for (const file of ['style.css', 'app.js', 'timeline.js', 'dashboard.js']) {
    const body = await (await fetch(cpu.url + '/' + file)).text();
    assert.ok(!/innerHTML|outerHTML|insertAdjacent|document\.write|eval\(/.test(body), file);
    bytes += body.length;
  }
  assert.ok(bytes < 60 * 1024, bytes + ' bytes');
}

await main(
  {
    a_first_search,
    hits_and_snippets_are_the_replys,
    an_older_search_is_aborted,
    pages_and_the_address,
    did_you_mean,
    mistakes_are_under_their_column,
    examples_of_this_index,
    a_document,
    a_query_that_moved,
    two_policies_side_by_side,
    the_score_of_a_hit,
    the_dashboard,
    without_javascript,
    keyboard_alone,
    focus_goes_in_the_order_of_reading,
    it_fits_360_pixels,
    markup_stays_text,
    names_and_contrast,
    nothing_from_elsewhere
  },
  async () => {
    await browser.close();
    await service.stop();
    await cpu.stop();
  });
