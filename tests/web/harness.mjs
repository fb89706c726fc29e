// What the checks share: a service, a browser, and facts about what a page shows.
import {strict as assert} from 'node:assert';
import {execFileSync, spawn} from 'node:child_process';
import readline from 'node:readline';
import {chromium} from 'playwright-core';

export const WORK = process.argv[2];
export const SLOW =
  60000;  // milliseconds after which a wait counts as for ever, also on a busy machine

/* A running `riposte serve`; ended by its process id. */
export class Service {
  static async start(dirs, ...args) {
    const it = new Service();
    const command = [
      'serve', ...dirs, '--listen', '127.0.0.1:0', '--log', 'off', '--timeout-ms', '30000', ...args
    ];
    it.process = spawn(
      process.env.RIPOSTE, command,
      {stdio: ['ignore', 'pipe', 'inherit'], env: {...process.env, RIPOSTE_GPU: 'emulated'}});
    it.ended = new Promise(resolve => it.process.on('exit', resolve));
    for await (const line of readline.createInterface({input: it.process.stdout})) {
      it.url = line.match(/http:\S+/)[0];
      break;
    }
    return it;
  }

  async stop() {
    this.process.kill('SIGTERM');
    assert.equal(await this.ended, 0, 'the service ends with 0');
  }

  async get(path, params) {
    const reply = await fetch(this.url + path + (params ? '?' + new URLSearchParams(params) : ''));
    assert.equal(reply.status, 200, path);
    return reply.json();
  }
}

export const run = (...args) => execFileSync(process.env.RIPOSTE, args);

export function open() {
  const args = process.getuid() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({executablePath: process.env.CHROMIUM, args});
}

/* A page that fails its check when a script on it does. */
export async function pageOf(browser, options = {}) {
  const context = await browser.newContext({viewport: {width: 1100, height: 800}, ...options});
  context.setDefaultTimeout(SLOW);
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', e => page.faults.push(String(e)));
  page.on('console', m => {
    if (/Content Security Policy/.test(m.text())) page.faults.push(m.text());
  });
  page.on('dialog', d => {
    page.faults.push('dialog ' + d.message());
    d.dismiss();
  });
  return page;
}

/* The reply to the next search that the page sends because of an act. */
export async function searchBy(page, act, has = () => true) {
  const isSearch = r =>
    new URL(r.url()).pathname.endsWith('/search') && has(new URL(r.url()).searchParams) && r.ok();
  const [response] = await Promise.all([page.waitForResponse(isSearch), act()]);
  return response.json();
}

export const texts = (page, selector) => page.locator(selector).allTextContents();

/* Texts with less than `least` between them and what is behind them, in the colours that the
 * browser computed. */
export function faint(page, least) {
  return page.evaluate(limit => {
    const part = c => {
      c /= 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    };
    const parse = text => {
      const n = text.match(/[\d.]+/g).map(Number);
      return {rgb: n.slice(0, 3), alpha: n.length > 3 ? n[3] : 1};
    };
    const light = ({rgb: [r, g, b]}) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    const behind = e => {
      for (; e; e = e.parentElement) {
        const colour = parse(getComputedStyle(e).backgroundColor);
        if (colour.alpha === 1) return colour;
      }
      return {rgb: [255, 255, 255], alpha: 1};
    };
    const bad = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
      const e = node.parentElement;
      if (!node.data.trim() || !e.checkVisibility() || /^(SCRIPT|OPTION)$/.test(e.tagName))
        continue;
      const [a, b] =
        [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
      const contrast = (a + 0.05) / (b + 0.05);
      if (contrast < limit) bad.push(node.data.trim() + ' ' + contrast.toFixed(2));
    }
    return bad;
  }, least);
}

/* Controls without a name that a screen reader could say. */
export function nameless(page) {
  return page.evaluate(
    () => [...document.querySelectorAll('input, select, button, a[href], summary')]
            .filter(e => {
              const label = e.labels && e.labels[0];
              return !(
                e.getAttribute('aria-label') || (label && label.textContent.trim()) ||
                e.textContent.trim());
            })
            .map(e => e.outerHTML));
}

export async function main(checks, end) {
  const chosen = process.argv.slice(3);
  let bad = 0;
  for (const [name, check] of Object.entries(checks)) {
    if (chosen.length && !chosen.includes(name)) continue;
    try {
      await check();
      console.log('ok web_' + name);
    } catch (e) {
      bad++;
      console.log('not ok web_' + name);
      console.log(e.stack);
    }
  }
  await end();
  process.exit(bad ? 1 : 0);
}
