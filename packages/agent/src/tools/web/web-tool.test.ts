import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openToolAgent, type ToolAgent } from '../testing/open-tool-agent.ts';
import { pageText } from './html-text.ts';
import { webTool } from './web-tool.ts';

const PAGE = `<!doctype html><html><head><title>The &amp; shop</title><style>.x{}</style></head><body>
<nav>Menu</nav><h1>Hello</h1><p>One <b>bold</b> <a href="/x">link</a>.</p><script>alert(1)</script>
<table><tr><th>a</th><td>b</td></tr></table></body></html>`;

let asked: string[] = [];
const answer: RequestListener = (request, response) => {
  asked.push(request.url ?? '');
  if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
  else if (request.url === '/latin') {
    response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from([0xe9]));
  } else if (request.url === '/moved') response.writeHead(302, { location: '/page' }).end();
  else if (request.url === '/inside') response.writeHead(302, { location: 'http://127.0.0.2/' }).end();
  else if (request.url === '/zip') response.writeHead(200, { 'content-type': 'application/zip' }).end('PK');
  else response.writeHead(404).end();
};

const server = createServer(answer);
let base = '';
let open: ToolAgent;
let closed: ToolAgent;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  open = await openToolAgent([webTool({ allowedNetworks: ['127.0.0.1/32'] })]);
  closed = await openToolAgent([webTool()]);
});
afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
  server.close();
});

test('a page is read as text, and where it came from is shown', async () => {
  const outcome = await open.use('fetch_page', { url: `${base}/moved` });
  expect(outcome.isError).toBe(false);
  expect(outcome.text).toContain(`The & shop\n${base}/page\n\nHello`);
  expect(outcome.text).toContain('One bold link.');
  expect(outcome.text).not.toMatch(/alert|Menu|\.x\{/);
  expect(outcome.frames.find(({ type }) => type === 'sources')).toMatchObject({
    sources: [{ title: 'The & shop', url: `${base}/page` }],
  });
  expect((await open.use('fetch_page', { url: `${base}/latin` })).text).toContain('\n\né');
});

test.each([
  ['/nowhere', 'answered 404'],
  ['/zip', 'is not text but application/zip'],
  ['/inside', 'resolves to a non-public address'],
])('%s: %s', async (path, words) => {
  const outcome = await open.use('fetch_page', { url: base + path });
  expect(outcome.isError).toBe(true);
  expect(outcome.text).toContain(words);
});

test.each(['BASE/page', 'http://localhost/', 'http://169.254.169.254/latest', 'file:///etc/passwd', 'nonsense', ''])(
  '%s is refused, and nobody was asked',
  async (url) => {
    asked = [];
    const outcome = await closed.use('fetch_page', { url: url.replace('BASE', base) });
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(/non-public address|without credentials/);
    expect(asked).toEqual([]);
  },
);

test('a network that is none is refused at the start', () => {
  expect(() => webTool({ allowedNetworks: ['10.0.0.0'] })).toThrow('is not a network');
});

test.each([
  ['nested without end', '<div>'.repeat(300_000)],
  ['of open paragraphs', '<p>x'.repeat(300_000)],
  ['of closing tags', '</div>'.repeat(200_000)],
  ['of one tag that does not end', `<a ${'x="y" '.repeat(200_000)}`],
  ['of letters that are no tag', '<'.repeat(1_000_000)],
  ['of spaces', ' \t'.repeat(500_000)],
])('a page %s is read in time', (_what, body) => {
  const startMs = performance.now();
  const page = pageText(Buffer.from(`<title>t</title><p>begin</p>${body}`), 'text/html');
  expect(page).toMatchObject({ title: 't', text: expect.stringMatching(/^begin/) });
  expect(performance.now() - startMs).toBeLessThan(10_000);
});

test('what a page shows is kept in its shape', () => {
  const body = `<ul><li>one<li>two</ul><pre>a\n  b</pre><table><tr><th>x</th><td>y &lt; z</td></tr></table><p> c
    d </p><form>no</form><svg><text>no</text></svg>`;
  expect(pageText(Buffer.from(body), 'text/html; charset=nonsense')).toEqual({
    title: '',
    text: '- one\n- two\na\n  b\nx | y < z\nc d',
  });
  expect(pageText(Buffer.from('{"a":1}'), 'application/json')).toEqual({ title: '', text: '{"a":1}' });
  expect(pageText(Buffer.from('x'), 'image/png')).toBeUndefined();
});
