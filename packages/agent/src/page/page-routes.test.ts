import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oidc } from '../auth/oidc.ts';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { artifactFrameHeaders } from './artifact-frame.ts';
import { pageHtml } from './page-html.ts';

let agent: TestAgent;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'page-'));
  await mkdir(path.join(folder, 'assets'));
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  const head = '<title>x</title><script type="module" src="/a.js"></script>';
  await write(
    'index.html',
    `<!doctype html><html><head>${head}</head><body>${'<p>Text.</p>'.repeat(200)}</body></html>`,
  );
  await write('assets/frame.html', '<!doctype html><script type="module" src="/a.js"></script>');
  await write('assets/main-B1x_9aKq.js', 'import("./other.js")');
  await write('a.js', '1');
  await write('secret.pem', 'not of a page');
  agent = await openTestAgent({ title: 'A & "B" <c>', description: "It's </title><script>", page: folder });
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const policyOf = (response: Response) => response.headers.get('content-security-policy') ?? '';

describe('GET /', () => {
  it('is one document with a nonce of its own, and what the agent is', async () => {
    const [one, other] = [await fetch(agent.url), await fetch(agent.url)];
    expect(one.headers.get('content-type')).toContain('text/html');
    expect(one.headers.get('cache-control')).toBe('no-store');
    const nonce = /'nonce-([^']+)'/.exec(policyOf(one))?.[1];
    expect(policyOf(one)).toContain("default-src 'none'");
    expect(policyOf(other)).not.toContain(nonce);
    const html = await one.text();
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html.match(/<\/script/g)).toHaveLength(2);
    expect(html.split(`<script nonce="${nonce}"`)).toHaveLength(3);
    expect(html).toContain('<title>A &#38; &#34;B&#34; &#60;c&#62;</title>');
    expect(html).not.toContain('noindex');
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  it('is compressed for who takes that, and answers HEAD', async () => {
    const small = await fetch(agent.url, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect((await small.text()).length).toBeGreaterThan(2_000);
    const plain = await fetch(agent.url, { headers: { 'Accept-Encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect((await fetch(agent.url, { method: 'HEAD' })).status).toBe(200);
  });

  it('lets the page call the provider that people sign in with, and nobody else', async () => {
    await using signing = await openTestAgent({
      auth: oidc({
        ...{ issuer: 'https://login.example.com/realm', audience: 'web', clientId: 'web' },
        fetch: async () =>
          Response.json({
            issuer: 'https://login.example.com/realm',
            token_endpoint: 'https://tokens.example.com/token',
            userinfo_endpoint: 'https://login.example.com/me',
          }),
      }),
    });
    // Fails when the page can't redeem its code at a provider whose token endpoint is on another host.
    const allowed = "connect-src 'self' https://login.example.com https://tokens.example.com;";
    expect(policyOf(await fetch(signing.url))).toContain(allowed);
    expect(policyOf(await fetch(agent.url))).toContain("connect-src 'self';");
  });
});

describe('GET /shared/{user}/{token}', () => {
  it('is the same page, which nobody is to index, whether there is such a share or not', async () => {
    // Holds the agent to the contract: verifies('share.page')
    const response = await fetch(`${agent.url}/shared/nobody/none`);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-robots-tag')).toBe('noindex');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await response.text()).toContain('<meta name="robots" content="noindex">');
  });

  it('is not there for an agent that keeps nothing', async () => {
    await using open = await openTestAgent({ hasAuth: false });
    expect((await fetch(`${open.url}/shared/nobody/none`)).status).toBe(404);
    expect((await fetch(open.url)).status).toBe(200);
  });
});

describe('a page of the owner’s own', () => {
  it('is served with its files, knows the agent, and runs under the nonce of each answer', async () => {
    await using own = await openTestAgent({ title: "It's $& <b>", page: folder });
    const answer = await fetch(own.url);
    const nonce = /'nonce-([^']+)' 'strict-dynamic'/.exec(policyOf(answer))?.[1];
    const html = await answer.text();
    expect(html).toContain(`<script nonce="${nonce}" type="module" src="/a.js">`);
    expect(html).toContain('<title>It&#39;s $&#38; &#60;b&#62;</title>');
    expect(html.match(/<title>/g)).toHaveLength(1);
    expect(html).toContain('window.__CONFIG__ = {');
    const hashed = await fetch(`${own.url}/assets/main-B1x_9aKq.js`);
    expect(hashed.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(hashed.headers.get('cache-control')).toContain('immutable');
    expect((await fetch(`${own.url}/a.js`)).headers.get('cache-control')).toBe('no-cache');
    expect((await fetch(`${own.url}/secret.pem`)).status).toBe(404);
    expect((await fetch(`${own.url}/shared/a/b`)).headers.get('x-robots-tag')).toBe('noindex');
  });

  it('has frames that have no origin, run their own script and load nothing', async () => {
    const frame = await fetch(`${agent.url}/assets/frame.html`);
    const nonce = /script-src 'nonce-([^']+)' 'strict-dynamic'/.exec(policyOf(frame))?.[1];
    expect(await frame.text()).toContain(`<script nonce="${nonce}" type="module" src="/a.js">`);
    for (const rule of ['sandbox allow-scripts;', "default-src 'none'", "frame-ancestors 'self'"]) {
      expect(policyOf(frame)).toContain(rule);
    }
    expect(frame.headers.get('cache-control')).toBe('no-store');
    // A frame requests its script from an opaque origin.
    expect((await fetch(`${agent.url}/a.js`)).headers.get('access-control-allow-origin')).toBe('*');
    // The page can embed only its own frames, and can't be embedded.
    expect(policyOf(await fetch(agent.url))).toContain("frame-src 'self'; frame-ancestors 'none'");
    expect((await fetch(`${agent.url}/index.html`)).status).toBe(404);
  });

  it('is asked for when the agent opens, not when somebody comes', async () => {
    await expect(openTestAgent({ page: '/no/such/folder' })).rejects.toThrow('there is no /no/such/folder/index.html');
  });
});

describe('the page that comes with the package', () => {
  it('is served where it is there; where it is not, a page says what to do, and all else works', async () => {
    await using packed = await openTestAgent({ title: 'Packed' });
    const html = await (await fetch(packed.url)).text();
    expect(html).toContain('<title>Packed</title>');
    expect(html).toContain('window.__CONFIG__ = {');
    const [script] = /\/_page\/[\w.-]+\.js/.exec(html) ?? [];
    if (script === undefined) expect(html).toContain('npm run web');
    else expect((await fetch(packed.url + script)).headers.get('cache-control')).toContain('immutable');
    expect((await fetch(`${packed.url}/_page/no-such.js`)).status).toBe(404);
    expect((await fetch(`${packed.url}/_page/..%2findex.html`)).status).toBe(404);
    expect((await fetch(`${packed.url}/config`)).status).toBe(200);
  });
});

describe('the frame of artifacts', () => {
  it('has no origin, and no network but the origins that the author allowed', async () => {
    const closed = artifactFrameHeaders([]);
    const policy = closed['Content-Security-Policy'] ?? '';
    for (const rule of ['sandbox allow-scripts;', "default-src 'none'", "connect-src 'none'", "form-action 'none'"]) {
      expect(policy).toContain(rule);
    }
    expect(policy).not.toMatch(/https?:/);
    expect(closed['Connection-Allowlist']).toBe('(response-origin)');
    const open = artifactFrameHeaders(['https://api.example.com']);
    expect(open['Content-Security-Policy']).toContain('connect-src https://api.example.com;');
    expect(open['Connection-Allowlist']).toBe('(response-origin "https://api.example.com")');
  });

  it.each([
    'api.example.com',
    'https://api.example.com/',
    'https://*.example.com',
    'http://api.example.com',
    'https://a.example.com; script-src *',
    '*',
    7,
  ])('refuses %j as an origin, when the agent starts', async (origin) => {
    const artifacts = { network: [origin as string] };
    await expect(openTestAgent({ artifacts })).rejects.toThrow(`artifacts.network: "${origin}" is not an origin`);
  });
});

describe('pageHtml', () => {
  it('ends no element early, whatever the configuration holds', () => {
    const evil = '</script><script>alert(1)</script><!--\u2028';
    const document = '<html><head></head><body></body></html>';
    const { html } = pageHtml({ title: evil, config: { evil }, document, signInOrigins: [] });
    expect(html.match(/<\/script/gi)).toHaveLength(1);
    expect(html).not.toContain('<!--');
    const written = /__CONFIG__ = (.*);/.exec(html)?.[1] ?? '';
    expect(JSON.parse(written)).toEqual({ evil });
  });
});
