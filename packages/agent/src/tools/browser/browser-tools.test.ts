import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { probeSandbox } from '@berth/agent-core';
import { createSystemClock } from '@berth/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLoopAgent } from '../../loop/testing/open-loop-agent.ts';
import { CHROMIUM_OPTIONS } from '../../page/testing/open-browser.ts';
import { openToolAgent, type ToolAgent } from '../testing/open-tool-agent.ts';
import { browser, createBrowserTools } from './browser-tools.ts';
import { findChromium } from './open-chromium.ts';

const probe = await probeSandbox();
const problem = 'problem' in probe ? probe.problem : findChromium() ? undefined : 'there is no Chromium';

const page = (body: string) => `<!doctype html><title>The shop</title><body>${body}</body>`;
const PAGES: Readonly<Record<string, string>> = {
  '/': page(`<h1>Lamps</h1><p>From <b>€5</b>.</p><a href="/terms" target="_blank">Terms</a><p hidden>hidden</p>
    <script>document.cookie = 'seen=1'; document.body.append('Made by a script.')</script>
    <form action="/search" method="post"><label>What <input name="q" value="old"></label>
    <select name="size"><option>small</option><option>large</option></select>
    <input type="password" name="p" value="secret"><button>Search</button></form>`),
  '/terms': page(
    "<p>Terms of the shop.</p><button onclick=\"alert('No!'); document.body.append('Pressed.')\">Press</button>",
  ),
};
let seen: string[] = [];
const answer: RequestListener = async (request, response) => {
  const body = await text(request);
  seen.push(`${request.method} ${request.url} ${request.headers.cookie ?? ''} ${body}`.trim());
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const { url = '' } = request;
  if (url === '/moved') response.writeHead(302, { location: '/' }).end();
  else if (url === '/search') response.writeHead(200, html).end(page(`<p>Found: ${body}</p>`));
  else if (url === '/foreign') {
    response
      .writeHead(200, html)
      .end(page(`<img src="${base.replace('127.0.0.1', '127.0.0.2')}/image-of-frame" alt="x">`));
  } else if (url === '/inside') {
    const [inner, other] = ['127.0.0.2', '127.0.0.3'].map((host) => base.replace('127.0.0.1', host));
    response.writeHead(200, html).end(
      page(`<iframe src="${inner}/frame"></iframe><iframe src="${other}/foreign"></iframe><img src="${inner}/image" alt="x"><script>
      fetch('${inner}/fetch').then(() => document.body.append('reached'), () => document.body.append('refused'));
      document.body.append(typeof WebSocket);</script>`),
    );
  } else if (url === '/long') response.writeHead(200, html).end(page(`<p>${'a'.repeat(20_000)}end</p>`));
  else response.writeHead(PAGES[url] ? 200 : 404, html).end(PAGES[url] ?? 'none');
};
const server = createServer(answer);
let base = '';
beforeAll(async () => {
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const OPTIONS = { allowedNetworks: ['127.0.0.1/32', '127.0.0.3/32'] };

/** Calls tools one after the other in one chat; returns what each answered. */
async function useInOneChat(fixture: ToolAgent, calls: readonly (readonly [tool: string, args: object])[]) {
  const answers: string[] = [];
  for (const [tool, args] of calls) answers.push((await fixture.use(tool, args)).text);
  return answers;
}

describe.skipIf(problem !== undefined)(`the browser${problem === undefined ? '' : ` (${problem})`}`, () => {
  let tools: ReturnType<typeof createBrowserTools>;
  beforeAll(() => {
    tools = createBrowserTools(OPTIONS, createSystemClock());
  });
  afterAll(() => tools.close());

  /** Makes these calls in one turn of a chat, and returns their results. */
  async function inOneTurn(calls: readonly (readonly [tool: string, args: object])[], token = 'alice') {
    const steps = [...calls.map(([tool, args]) => ({ calls: [{ tool, args }] })), 'Done.'];
    await using fixture = await openLoopAgent(steps, { tools: tools.tools });
    const turn = await fixture.say('Go', {}, 'c1', token);
    const results = fixture.asked.slice(1).map(({ messages }) => messages.at(-1));
    const texts = results.map((result) => (result?.role === 'tool' ? result.text : ''));
    const files = await (await fixture.call(token, 'GET', '/files/screenshots')).arrayBuffer();
    return { texts, turn, files };
  }

  // Fails when a page is not run, its hidden parts or passwords are read, or a redirect or a cookie is lost.
  test('opens a page, uses its form, and follows its links in the same tab', async () => {
    seen = [];
    const { texts } = await inOneTurn([
      ['browser_open', { url: `${base}/moved` }],
      ['browser_type', { ref: 2, text: 'lamp & co' }],
      ['browser_type', { ref: 3, text: 'large' }],
      ['browser_click', { ref: 5 }],
      ['browser_open', { url: base }],
      ['browser_click', { ref: 1 }],
      ['browser_click', { ref: 1 }],
      ['browser_click', { ref: 9 }],
    ]);
    expect(texts[0]).toBe(
      `The shop\n${base}/\n\n# Lamps\nFrom €5.\n[1] link: Terms Made by a script.\nWhat [2] text: What = old [3] select: size = small (of: small, large) [4] password: p [5] button: Search`,
    );
    expect(texts[1]).toContain('= lamp & co');
    expect(texts[2]).toContain('= large');
    expect(texts[3]).toContain('Found: q=lamp+%26+co&size=large&p=secret');
    expect(texts[5]).toBe(`The shop\n${base}/terms\n\nTerms of the shop.\n[1] button: Press`);
    expect(texts[6]).toContain('The page said: No!');
    expect(texts[6]).toContain('Pressed.');
    expect(texts[7]).toContain('Read the page again');
    expect(seen).toContain('POST /search seen=1 q=lamp+%26+co&size=large&p=secret');
    expect(seen.filter((one) => one.startsWith('GET /terms'))).toEqual(['GET /terms seen=1']);
  });

  // Fails when a page, its frames, images or programs reach what is not public, or the browser has a network of its own.
  test('reaches nothing inside', async () => {
    seen = [];
    const inner = base.replace('127.0.0.1', '127.0.0.2');
    const { texts } = await inOneTurn([
      ['browser_open', { url: `${base}/inside` }],
      ['browser_open', { url: inner }],
      ['browser_open', { url: 'http://169.254.169.254/latest' }],
      ['browser_open', { url: 'file:///etc/passwd' }],
      ['browser_open', { url: 'chrome://version' }],
    ]);
    expect(texts[0]).toContain('refused');
    expect(texts[0]).toContain('undefined');
    expect(texts[1]).toMatch(/can't be opened: .*non-public address/);
    expect(texts[2]).toMatch(/can't be opened: .*non-public address/);
    expect(texts[3]).toContain('is not an http:// or https:// URL');
    expect(texts[4]).toContain('is not an http:// or https:// URL');
    expect(seen.map((one) => one.split(' ')[1]).filter((url) => url !== '/favicon.ico')).toEqual([
      '/inside',
      '/foreign',
    ]);
  });

  // Fails when a long page can't be read to its end, or a picture is not kept where the person finds it.
  test('reads long pages in parts, and shows pictures', async () => {
    const { texts, turn } = await inOneTurn([
      ['browser_open', { url: `${base}/long` }],
      ['browser_read', { offset: 20_000 }],
      ['browser_screenshot', {}],
    ]);
    expect(texts[0]).toMatch(/aaa\n\[3 characters follow: browser_read with offset 20000\]$/);
    expect(texts[1]).toBe(`The shop\n${base}/long\n\nend`);
    expect(texts[2]).toMatch(/^Shown, and kept as screenshots\/[0-9a-f]{12}\.png\.$/);
    expect(turn.frames.find(({ type }) => type === 'image')).toMatchObject({
      src: expect.stringContaining('screenshots/'),
    });
  });

  // Fails when two chats share a tab or its cookies.
  test('is another one in each chat', async () => {
    await using fixture = await openToolAgent(tools.tools);
    seen = [];
    const [, second] = await useInOneChat(fixture, [
      ['browser_open', { url: base }],
      ['browser_read', {}],
    ]);
    expect(second).toContain('about:blank');
    await fixture.use('browser_open', { url: `${base}/terms` });
    expect(seen.filter((one) => one.startsWith('GET /terms'))).toEqual(['GET /terms']);
  });

  // Fails when an endpoint is not spoken to, or pages load through the network of the browser there.
  test('may run elsewhere', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'chromium-'));
    const { executablePath, args } = CHROMIUM_OPTIONS;
    const switches = [
      ...args,
      '--headless',
      '--site-per-process',
      // Else Chromium itself keeps pages from the loopback that this test has in place of a network inside.
      '--disable-features=LocalNetworkAccessChecks',
      '--remote-debugging-port=0',
      `--user-data-dir=${folder}`,
    ];
    const chromium = spawn(executablePath, switches, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    try {
      let endpoint = '';
      for await (const line of createInterface(chromium.stderr)) {
        endpoint = /ws:\/\/\S+/.exec(line)?.[0] ?? '';
        if (endpoint) break;
      }
      const { host } = new URL(endpoint);
      for (const one of [endpoint, `http://${host}`]) {
        const remote = createBrowserTools({ ...OPTIONS, endpoint: one }, createSystemClock());
        await using fixture = await openToolAgent(remote.tools);
        seen = [];
        const opened = await fixture.use('browser_open', { url: `${base}/inside` });
        expect(opened.text).toContain('refused');
        expect(seen.map((one) => one.split(' ')[1]).filter((url) => url !== '/favicon.ico')).toEqual([
          '/inside',
          '/foreign',
        ]);
        remote.close();
      }
    } finally {
      process.kill(-(chromium.pid as number), 'SIGKILL');
      await once(chromium, 'close');
      await rm(folder, { recursive: true, force: true });
    }
  });
});

// Fails when an agent without sign-in gives strangers a browser that another one used.
test('is of nobody who is not signed in', async () => {
  const steps = [{ calls: [{ tool: 'browser_open', args: { url: base } }] }, 'Done.'];
  await using fixture = await openLoopAgent(steps, {
    hasAuth: false,
    tools: browser({ endpoint: 'ws://127.0.0.1:1' }),
  });
  await fixture.say('Go');
  expect(fixture.asked[1]?.messages.at(-1)).toMatchObject({
    isError: true,
    text: expect.stringContaining('no one is signed in'),
  });
});

// Fails when an endpoint that is away looks like a page that is, or its address reaches the model.
test('says that it could not be started', async () => {
  await using fixture = await openToolAgent(browser({ endpoint: 'ws://127.0.0.1:1/secret' }));
  const outcome = await fixture.use('browser_open', { url: base });
  expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining("can't be started") });
  expect(outcome.text).not.toContain('secret');
});

// Fails when a wrong option is found by the first call only.
test.each([
  [{ endpoint: 'localhost' }, 'not a ws:// or http:// URL'],
  [{ endpoint: 'ftp://x' }, 'not a ws:// or http:// URL'],
  [{ maxSessions: 0 }, 'at least 1'],
])('%j is refused at the start', (options, words) => {
  expect(() => browser(options)).toThrow(words);
});
