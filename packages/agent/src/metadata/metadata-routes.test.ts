import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { type OpenTestAgentOptions, openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { isTwoInstances } from '../testing/two-instances.ts';
import { readInk } from './testing/read-ink.ts';

const get = (fixture: TestAgent, target: string, headers: Record<string, string> = {}) =>
  fetch(fixture.url + target, { headers });

describe('GET /config', () => {
  // Holds the agent to the contract: verifies('metadata.config')
  it('has every field, and defaults for all of them', async () => {
    await using fixture = await openTestAgent({ hasAuth: false });
    const answer = await get(fixture, '/config');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(await answer.json()).toEqual({
      name: 'test-agent',
      title: 'test-agent',
      prod: false,
      auth: false,
      voice: false,
      max_upload: 512,
      workspaces: null,
      connectors: false,
      explore_enabled: false,
      memory: false,
      examples_enabled: false,
      colors: { primary: '#2563eb', background: '#0f172a', text: '#f8fafc' },
      ...{
        favicon: '/favicon.svg',
        og: '/og.png',
        seo: { title: 'test-agent', description: '', indexed: true },
        sign_in: null,
      },
    });
  });

  it('says what the owner set, and nothing secret', async () => {
    const environment = { K_SERVICE: 'x', SECRET: 'canary-1', DATABASE_URL: '' };
    const options: OpenTestAgentOptions = {
      title: 'Tester',
      description: 'Tests.',
      suggestions: ['Try me'],
      maxUploadMb: 5,
      environment,
      colors: { primary: '#abc' },
      seo: { title: 'For search', isIndexed: false },
      explore: [],
    };
    await using fixture = await openTestAgent(options);
    const text = await (await get(fixture, '/config')).text();
    expect(JSON.parse(text)).toMatchObject({
      title: 'Tester',
      prod: true,
      auth: true,
      max_upload: 5,
      explore_enabled: true,
      suggestions: ['Try me'],
      ...{
        colors: { primary: '#abc', text: '#f8fafc' },
        seo: { title: 'For search', description: 'Tests.', indexed: false },
      },
    });
    expect(text).not.toMatch(/canary|agent-|dataFolder/);
  });

  it.each([
    [{ colors: { primary: 'red;background:url(//evil)' } }, /colors\.primary/],
    [{ favicon: '<html>' }, /favicon/],
    [{ examples: [{ label: 'x', shares: ['/shared/x'] }] }, /examples/],
  ] as const)('is not served with %j: the agent says why and does not start', async (options, reason) => {
    await expect(openTestAgent(options)).rejects.toThrow(reason);
  });
});

describe('what crawlers and machines read', () => {
  // Holds the agent to the contract: verifies('metadata.crawlers'), verifies('metadata.llms')
  it('names the address that it was asked at', async () => {
    await using fixture = await openTestAgent({ title: 'A <b> & "c"\n# x', description: 'line\n\n## fake' });
    const forwarded = { 'X-Forwarded-Host': 'a.example.com', 'X-Forwarded-Proto': 'https' };
    const robots = await (await get(fixture, '/robots.txt', forwarded)).text();
    expect(robots).toMatch(/^User-agent: \*\n.*Disallow: \/shared\//s);
    expect(robots).toContain('Sitemap: https://a.example.com/sitemap.xml');
    // A shared cache must not return one caller's origin to others.
    expect((await get(fixture, '/robots.txt')).headers.get('vary')).toBe('X-Forwarded-Host, X-Forwarded-Proto');
    const sitemap = await get(fixture, '/sitemap.xml', forwarded);
    expect(sitemap.headers.get('content-type')).toBe('application/xml');
    expect(await sitemap.text()).toContain('<loc>https://a.example.com/</loc>');
    const llms = await (await get(fixture, '/llms.txt', forwarded)).text();
    expect(llms).toMatch(/^# A <b> & "c" # x\n\n> line ## fake\n\n## API\n/);
    expect(llms).toContain('(https://a.example.com/chat/completions)');
    expect(llms.match(/^#+ /gm)).toEqual(['# ', '## ', '## ']);
  });

  it('keeps search engines out of what is not to be found', async () => {
    await using fixture = await openTestAgent({ seo: { isIndexed: false } });
    expect(await (await get(fixture, '/robots.txt')).text()).toContain('Disallow: /\n');
  });
});

describe('pictures', () => {
  // Holds the agent to the contract: verifies('metadata.og')
  it('og.png is a picture, drawn once and known by its tag', async () => {
    await using fixture = await openTestAgent({ title: 'مساعد', description: 'Hello' });
    const answers = await Promise.all([get(fixture, '/og.png'), get(fixture, '/og.png')]);
    const [one, other] = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())));
    expect(answers[0]?.headers.get('content-type')).toBe('image/png');
    expect(one?.equals(other as Buffer)).toBe(true);
    expect(readInk(one as Buffer)).toMatchObject({ width: 1_200, height: 630 });
    const etag = answers[0]?.headers.get('etag') as string;
    const again = await get(fixture, '/og.png', { 'If-None-Match': etag });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
  });

  // Holds the agent to the contract: verifies('metadata.favicon')
  it('favicon.svg has the first letter, escaped, and can run nothing', async () => {
    await using fixture = await openTestAgent({ title: '<script>' });
    const icon = await get(fixture, '/favicon.svg');
    expect(icon.headers.get('content-type')).toBe('image/svg+xml');
    expect(icon.headers.get('content-security-policy')).toMatch(/sandbox/);
    const text = await icon.text();
    expect(text).toContain('>&#60;</text>');
    expect(text).not.toContain('<script');
    expect(text).toContain('fill="#fff"');
    await using light = await openTestAgent({ colors: { primary: '#ffe600' } });
    expect(await (await get(light, '/favicon.svg')).text()).toContain('fill="#14171c"');
    await using own = await openTestAgent({ favicon: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
    expect(await (await get(own, '/favicon.svg')).text()).toBe('<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
});

/** The reason why in-memory caches aren't tested across two instances. */
const EACH_ITS_OWN = 'by design: each instance keeps its own list';

describe('GET /explore', () => {
  // Holds the agent to the contract: verifies('metadata.explore')
  it('is never an error: the last good list, or none', async ({ skip }) => {
    skip(isTwoInstances, EACH_ITS_OWN);
    const clock = createFakeClock();
    let answer = async (): Promise<never[]> => {
      throw new Error('the list is away');
    };
    await using fixture = await openTestAgent({ clock, explore: () => answer() });
    const ask = async () => (await (await get(fixture, '/explore')).json()) as { agents: unknown[] };
    expect(await ask()).toEqual({ agents: [] });
    const agent = { slug: 'a', title: 'A', description: 'x', link: 'https://a.example', secret: 'canary' };
    answer = async () => [agent, { ...agent, link: 'javascript:alert(1)' }, null] as unknown as never[];
    expect(await ask()).toEqual({ agents: [] });
    clock.advance(300_000);
    const { secret: _secret, ...shown } = agent;
    expect(await ask()).toEqual({ agents: [shown] });
    answer = async () => Promise.reject(new Error('away again'));
    clock.advance(300_000);
    expect(await ask()).toEqual({ agents: [shown] });
    expect((await get(fixture, '/explore')).headers.get('cache-control')).toBe('public, max-age=300');
  });

  it('does not wait for a list that never comes, and takes one that comes late', async ({ skip }) => {
    skip(isTwoInstances, EACH_ITS_OWN);
    const clock = createFakeClock();
    const late = Promise.withResolvers<never[]>();
    await using fixture = await openTestAgent({ clock, explore: () => late.promise });
    const ask = async () => (await (await get(fixture, '/explore')).json()) as { agents: unknown[] };
    const asked = ask();
    await waitUntil('it waits for the list', () => clock.pending > 0);
    let isAnswered = false;
    asked.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) await clock.elapse(1_000);
    expect(await asked).toEqual({ agents: [] });
    expect(await ask()).toEqual({ agents: [] });
    late.resolve([{ slug: 'a', title: 'A', description: '', link: 'https://a.example' }] as unknown as never[]);
    await waitUntil('the list is there', async () => (await ask()).agents.length === 1);
  });
});

describe('GET /examples', () => {
  // Holds the agent to the contract: verifies('metadata.examples')
  it('has what is public now, and leaves out what is dead, revoked, or for some only', async () => {
    await using first = await openTestAgent();
    const say = async (chat: string, text: string) => {
      const turn = await first.call('alice.acme', 'POST', `/?id=${chat}`, {
        messages: [{ role: 'user', content: text }],
      });
      await turn.text();
    };
    const share = async (chat: string, audience = 'public') => {
      const answer = await first.call('alice.acme', 'POST', '/share', { path: `chat/${chat}`, audience });
      return (await answer.json()) as { token: string; url: string };
    };
    await say('c1', 'What is a berth?');
    await say('c2', 'Private');
    const shares = [await share('c1'), await share('c1'), await share('c2', 'org:acme')] as const;
    await first.call('alice.acme', 'DELETE', `/share/${shares[1].token}`);
    const unknown = `/shared/${'0'.repeat(16)}/${'A'.repeat(43)}`;
    const addresses = [...shares.map(({ url }) => url), unknown];
    const examples = [
      { label: 'Start', shares: addresses },
      { label: 'Empty', shares: addresses.slice(1) },
    ];
    await first.agent.close();
    await using fixture = await openTestAgent({ dataFolder: first.dataFolder, examples });
    const answer = await get(fixture, '/examples');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await answer.json()).toEqual({
      categories: [
        {
          label: 'Start',
          items: [{ share: addresses[0], title: 'What is a berth?', prompt: 'What is a berth?', file: null }],
        },
      ],
    });
  });

  it('is empty without any', async () => {
    await using fixture = await openTestAgent({ hasAuth: false });
    expect(await (await get(fixture, '/examples')).json()).toEqual({ categories: [] });
  });
});

describe('GET /public/{path}', () => {
  // Holds the agent to the contract: verifies('metadata.files')
  it('serves the owner’s files, and nothing beside them', async () => {
    await using fixture = await openTestAgent({ hasAuth: false, publicFolder: 'site' });
    const folder = path.join(fixture.dataFolder, 'site');
    expect((await get(fixture, '/public/a.css')).status).toBe(404);
    await mkdir(path.join(folder, 'sub'), { recursive: true });
    await writeFile(path.join(folder, 'sub/page.html'), '<h1>hi</h1>');
    await writeFile(path.join(folder, '.env'), 'SECRET');
    await writeFile(path.join(fixture.dataFolder, 'secret.txt'), 'SECRET');
    await symlink(path.join(fixture.dataFolder, 'secret.txt'), path.join(folder, 'link.txt'));
    const page = await get(fixture, '/public/sub/page.html');
    expect([page.status, await page.text()]).toEqual([200, '<h1>hi</h1>']);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('content-disposition')).toMatch(/^inline/);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    const etag = page.headers.get('etag') as string;
    expect((await get(fixture, '/public/sub/page.html', { 'If-None-Match': etag })).status).toBe(304);
    for (const target of ['.env', 'link.txt', 'sub', 'none', '']) {
      expect((await get(fixture, `/public/${target}`)).status, target).toBe(404);
    }
    for (const target of ['..%2fsecret.txt', '%2e%2e%2fsecret.txt', 'sub/..%2f..%2fsecret.txt']) {
      expect((await get(fixture, `/public/${target}`)).status, target).toBe(403);
    }
  });
});

// Holds the agent to the contract: verifies('metadata.public')
it('all of it is public, GET only, and there without auth', async () => {
  await using fixture = await openTestAgent({ hasAuth: false });
  for (const target of [
    '/config',
    '/explore',
    '/examples',
    '/favicon.svg',
    '/robots.txt',
    '/sitemap.xml',
    '/llms.txt',
  ]) {
    expect((await get(fixture, target)).status, target).toBe(200);
    expect((await fixture.call(undefined, 'POST', target)).status, target).toBe(405);
  }
});
