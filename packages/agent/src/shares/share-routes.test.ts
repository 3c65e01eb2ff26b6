import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { SharedData } from '@berth/contract/agent';
import { createSystemClock } from '@berth/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { readTurn } from '../testing/read-turn.ts';
import { isTwoInstances } from '../testing/two-instances.ts';

type Shown = Record<string, unknown>;
const CANARY = 'canary-7d2';

let agent: TestAgent;
let aheadMs = 0;
let users = 0;

beforeAll(async () => {
  const clock = createSystemClock();
  agent = await openTestAgent({
    clock: { ...clock, nowMs: () => clock.nowMs() + aheadMs },
    async *handler({ messages, reportUsage }) {
      reportUsage({ costUsd: 0.5 });
      yield { type: 'thinking', thinking: CANARY };
      yield {
        type: 'step',
        id: 's',
        step: 'Look',
        tool_name: 'read_file',
        args: { path: CANARY },
        result: CANARY,
        ok: true,
      };
      yield `Here: ![chart](/files/chart.png) and [notes](notes/a%20b.txt); you said ${messages.at(-1)?.content}`;
      yield { type: 'image', src: 'chart.png', alt: 'chart' };
      yield { type: 'code', code: '[x](/files/secret.txt)' };
    },
  });
});
afterAll(() => agent[Symbol.asyncDispose]());

/** Creates a user of their own for a test, with a chat `c` that references two files. */
async function newUser(org = '') {
  const id = `user-${++users}`;
  const token = id + (org && `.${org}`);
  const user = org === '' ? id : `${org}:${id}`;
  const call = (method: string, target: string, body?: unknown) => agent.call(token, method, target, body);
  const write = (file: string, text: string) => call('PUT', `/files/${file}`, new Blob([text]));
  const say = async (text: string) => {
    await readTurn(await call('POST', '/?id=c', { messages: [{ role: 'user', content: text }] }));
  };
  await write('chart.png', `chart of ${id}`);
  await write('notes/a%20b.txt', `notes of ${id}`);
  await write('secret.txt', CANARY);
  await say('hello');
  return {
    id,
    token,
    user,
    call,
    write,
    say,
    async share(more: Shown = {}) {
      const response = await call('POST', '/share', { path: 'chat/c', ...more });
      expect(response.status).toBe(200);
      const share = (await response.json()) as { token: string; url: string; absolute_url: string; id: string };
      const at = share.url.replace(/^\/shared/, '/share');
      return { ...share, at };
    },
  };
}

/** Every byte of the database, as text. */
async function stored(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.includes('.sqlite'));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'latin1')));
  expect(texts.join('').length).toBeGreaterThan(0);
  return texts.join('');
}

const anyone = (target: string, token?: string) => agent.call(token, 'GET', target);
const dataOf = async (at: string, token?: string) => (await anyone(`${at}/data`, token)).json() as Promise<SharedData>;
const messagesOf = async (at: string) => {
  const data = await dataOf(at);
  return data.type === 'chat' ? data.messages : [];
};

describe('a shared chat', () => {
  it('is shown to anybody with the link, as it was, by an allow-list of keys', async () => {
    // Holds the agent to the contract: verifies('share.create', 'share.snapshot', 'share.allow-list')
    const alice = await newUser();
    const { at, url, absolute_url, token, ...row } = await alice.share();
    expect([url, absolute_url]).toEqual([
      expect.stringMatching(new RegExp(`^/shared/[0-9a-f]{16}/${token}$`)),
      `${agent.url}${url}`,
    ]);
    expect(token.length).toBeGreaterThanOrEqual(22);
    expect(row).toMatchObject({ path: 'chat/c', audience: 'public', live: false, expires_at: null, title: 'hello' });
    await alice.say('later');

    const response = await anyone(`${at}/data`);
    expect(response.headers.get('x-robots-tag')).toBe('noindex');
    const text = await response.text();
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain('later');
    const data = JSON.parse(text) as SharedData;
    expect(Object.keys(data).sort()).toEqual(['id', 'live', 'messages', 'shared_at', 'title', 'type']);
    const link = (file: string) => `${at}/file/${file}`;
    expect(data).toMatchObject({
      type: 'chat',
      id: 'c',
      messages: [
        { role: 'user', content: 'hello' },
        {
          role: 'assistant',
          parts: [
            { type: 'step', step: 'Look', tool_name: 'read_file', ok: true },
            {
              type: 'text',
              text: `Here: ![chart](${link('chart.png')}) and [notes](${link('notes/a%20b.txt')}); you said hello`,
            },
            { type: 'image', src: link('chart.png'), alt: 'chart' },
            { type: 'code', code: '[x](/files/secret.txt)' },
          ],
        },
      ],
    });
  });

  it('serves the files it names as they were, and no others', async () => {
    // Holds the agent to the contract: verifies('share.files', 'share.file-route')
    const alice = await newUser();
    const { at } = await alice.share();
    await alice.write('chart.png', 'changed');
    await alice.call('DELETE', '/files/notes/a%20b.txt');
    await alice.write('other.txt', 'never shared');

    const chart = await anyone(`${at}/file/chart.png`);
    expect([chart.status, await chart.text()]).toEqual([200, `chart of ${alice.id}`]);
    expect(chart.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(chart.headers.get('x-content-type-options')).toBe('nosniff');
    expect(chart.headers.get('x-robots-tag')).toBe('noindex');
    expect(await (await anyone(`${at}/file/notes/a%20b.txt`)).text()).toBe(`notes of ${alice.id}`);
    const part = await fetch(`${agent.url}${at}/file/chart.png`, { headers: { Range: 'bytes=0-4' } });
    expect([part.status, await part.text()]).toEqual([206, 'chart']);
    for (const other of ['secret.txt', 'other.txt', 'notes', 'chart.png%00', 'nothing']) {
      expect((await anyone(`${at}/file/${other}`)).status, other).toBeGreaterThanOrEqual(404);
    }
    for (const climb of ['..%2fchart.png', 'notes%2f..%2fchart.png', '.db/agent.sqlite', '%2fetc%2fpasswd']) {
      expect((await anyone(`${at}/file/${climb}`)).status, climb).toBe(403);
    }
    for (const method of ['PUT', 'DELETE', 'POST', 'PATCH']) {
      expect((await agent.call(alice.token, method, `${at}/file/chart.png`)).status).toBe(405);
    }
  });

  it('follows the chat when it is live, files included', async () => {
    // Holds the agent to the contract: verifies('share.snapshot')
    const alice = await newUser();
    const { at } = await alice.share({ live: true });
    await alice.say('later');
    await alice.write('chart.png', 'changed');
    expect(JSON.stringify(await messagesOf(at))).toContain('you said later');
    expect(await (await anyone(`${at}/file/chart.png`)).text()).toBe('changed');
    expect((await anyone(`${at}/file/secret.txt`)).status).toBe(404);
  });

  it('is not widened by a message that names what is not the sharer’s', async () => {
    // Holds the agent to the contract: verifies('share.files')
    const [alice, bob] = [await newUser(), await newUser()];
    await bob.write('private.txt', 'of bob');
    const named = `[a](/files/../${bob.id}/private.txt) [b](private.txt) ![c](/files/.db/agent.sqlite) [d](/etc/passwd)`;
    await alice.say(named);
    const { at } = await alice.share();
    expect(JSON.stringify(await messagesOf(at))).toContain('/etc/passwd');
    for (const file of ['private.txt', '.db/agent.sqlite', '../private.txt', 'etc/passwd']) {
      expect((await anyone(`${at}/file/${file}`)).status).toBeGreaterThanOrEqual(403);
    }
  });
});

describe('who may see a share', () => {
  it('answers unknown, revoked, expired and foreign ones, and those of deleted chats, all alike', async () => {
    // Holds the agent to the contract: verifies('share.dead')
    const [alice, bob] = [await newUser(), await newUser()];
    const [revoked, foreign, deleted] = [await alice.share(), await alice.share(), await alice.share()];
    const expired = await alice.share({ expires_at: new Date(Date.now() + aheadMs + 60_000).toISOString() });
    expect((await anyone(`${expired.at}/data`)).status).toBe(200);
    aheadMs += 60_000;
    await alice.call('DELETE', `/share/${revoked.token}`);
    const answers = async (ats: readonly string[]) =>
      Promise.all(
        ats.map(async (at) => {
          const response = await anyone(`${at}/data`);
          const fork = await agent.call(bob.token, 'POST', `${at}/fork`);
          const file = await anyone(`${at}/file/chart.png`);
          return [response.status, await response.text(), fork.status, file.status];
        }),
      );
    const dead = [
      revoked.at,
      expired.at,
      `/share/${bob.user}/${foreign.token}`,
      `/share/${alice.user}/${'x'.repeat(32)}`,
      `/share/nobody/${foreign.token}`,
    ];
    const all = await answers(dead);
    expect(all[0]?.[0]).toBe(404);
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
    await alice.call('DELETE', '/chats/c');
    expect(await answers([deleted.at])).toEqual([all[0]]);
    await alice.call('POST', `/trash/${encodeURIComponent('chat:c')}/restore`);
    expect((await anyone(`${deleted.at}/data`)).status).toBe(200);
  });

  it('asks for an identity and the organization where it is shared within one', async () => {
    // Holds the agent to the contract: verifies('share.audience')
    const alice = await newUser('acme');
    const { at } = await alice.share({ audience: 'org:acme' });
    const statuses = async (token?: string) =>
      Promise.all([`${at}/data`, `${at}/file/chart.png`].map(async (target) => (await anyone(target, token)).status));
    expect(await statuses()).toEqual([401, 401]);
    expect(await statuses('bad')).toEqual([401, 401]);
    expect(await statuses('eve.other')).toEqual([403, 403]);
    expect(await statuses('eve')).toEqual([403, 403]);
    expect(await statuses('bob.acme')).toEqual([200, 200]);
    expect((await agent.call('eve.other', 'POST', `${at}/fork`)).status).toBe(403);
    expect((await agent.call('bob.acme', 'POST', `${at}/fork`)).status).toBe(200);
  });

  it('lists the owner’s own, without tokens, and takes them back by token or id, twice too', async () => {
    // Holds the agent to the contract: verifies('share.list', 'share.revoke')
    const [alice, bob] = [await newUser(), await newUser()];
    const [first, second] = [await alice.share(), await alice.share()];
    const rows = async () => (await (await alice.call('GET', '/share')).json()) as { id: string }[];
    expect((await rows()).map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    // Its owner can read the address again; what is stored gives no one the token. Fails when it is stored as it is.
    expect(await rows()).toContainEqual(
      expect.objectContaining({ token: first.token, url: first.url, absolute_url: first.absolute_url }),
    );
    // Two instances have Postgres, whose files are not read here.
    if (!isTwoInstances) expect(await stored(agent.dataFolder)).not.toContain(first.token);
    // Addresses tell nothing of the sharer, and those of earlier versions still lead to the share.
    expect(first.url).not.toContain(alice.id);
    expect((await anyone(`/share/${encodeURIComponent(alice.user)}/${first.token}/data`)).status).toBe(200);
    expect((await anyone(`/share/${'0'.repeat(16)}/${first.token}/data`)).status).toBe(404);
    expect(await (await bob.call('GET', '/share')).json()).toEqual([]);
    expect((await bob.call('DELETE', `/share/${first.token}`)).status).toBe(200);
    expect((await anyone(`${first.at}/data`)).status).toBe(200);
    for (let time = 0; time < 2; time++) {
      expect((await alice.call('DELETE', `/share/${first.token}`)).status).toBe(200);
      expect((await alice.call('DELETE', `/share/${second.id}`)).status).toBe(200);
    }
    expect(await rows()).toEqual([]);
    expect((await anyone(`${second.at}/data`)).status).toBe(404);
    const folders = path.join(agent.dataFolder, '.shares');
    const mine = (await readdir(folders)).find((name) => name.startsWith(`${alice.id}.`));
    expect(await readdir(path.join(folders, mine!))).toEqual([]);
  });

  it('refuses what cannot be shared', async () => {
    const alice = await newUser('acme');
    const statusOf = async (body: Shown) => (await alice.call('POST', '/share', body)).status;
    expect(await statusOf({ path: 'chat/none' })).toBe(404);
    expect(await statusOf({ path: 'file/none.txt' })).toBe(404);
    expect(await statusOf({ path: 'file/../x' })).toBe(403);
    expect(await statusOf({ path: 'file/notes' })).toBe(422);
    expect(await statusOf({ path: 'folder/notes' })).toBe(422);
    expect(await statusOf({ path: `chat/${'x'.repeat(65)}` })).toBe(422);
    expect(await statusOf({ path: 'chat/c', audience: 'everybody' })).toBe(422);
    expect(await statusOf({ path: 'chat/c', audience: 'org:other' })).toBe(403);
    expect(await statusOf({ path: 'chat/c', expires_at: '2020-01-01T00:00:00Z' })).toBe(422);
    expect(await statusOf({ path: 'chat/c', expires_at: 'soon' })).toBe(422);
    const bob = await newUser();
    await bob.call('DELETE', '/chats/c');
    expect((await bob.call('POST', '/share', { path: 'chat/c' })).status).toBe(404);
  });
});

describe('a shared file', () => {
  it('is served as it was shared, or as it is when live', async () => {
    const alice = await newUser();
    const [frozen, live] = [
      await alice.share({ path: 'file/chart.png' }),
      await alice.share({ path: 'file/chart.png', live: true }),
    ];
    await alice.write('chart.png', 'changed');
    const url = `${frozen.at}/file/chart.png`;
    expect(await dataOf(frozen.at)).toMatchObject({ type: 'file', path: 'chart.png', url, title: 'chart.png' });
    expect(await (await anyone(url)).text()).toBe(`chart of ${alice.id}`);
    expect(await (await anyone(`${live.at}/file/chart.png`)).text()).toBe('changed');
    await alice.call('DELETE', '/files/chart.png');
    expect((await anyone(`${live.at}/data`)).status).toBe(404);
    expect((await anyone(url)).status).toBe(200);
    expect((await agent.call(alice.token, 'POST', `${frozen.at}/fork`)).status).toBe(400);
  });
});

describe('a fork', () => {
  it('copies messages and files beside what is there, and is its new owner’s own', async () => {
    // Holds the agent to the contract: verifies('share.fork')
    const [alice, bob] = [await newUser(), await newUser()];
    const { at } = await alice.share();
    expect((await agent.call(undefined, 'POST', `${at}/fork`)).status).toBe(401);
    const response = await bob.call('POST', `${at}/fork`);
    const { id } = (await response.json()) as { id: string };
    const chat = (await (await bob.call('GET', `/chats/${id}`)).json()) as Shown;
    expect(chat).toMatchObject({ title: 'hello', cost: '0.000000', run: null });
    const text = JSON.stringify(chat);
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain('/share/');
    expect(text).toContain('![chart](/files/chart%20(2).png)');
    expect(text).toContain('"src":"/files/chart%20(2).png"');
    const read = async (file: string) => (await bob.call('GET', `/files/${file}`)).text();
    expect(await read('chart%20(2).png')).toBe(`chart of ${alice.id}`);
    expect(await read('chart.png')).toBe(`chart of ${bob.id}`);
    expect(await read('notes/a%20b%20(2).txt')).toBe(`notes of ${alice.id}`);
    // Changes to the copy don't affect the original.
    await bob.call('DELETE', `/chats/${id}`);
    expect((await alice.call('GET', '/chats/c')).status).toBe(200);
    expect(await messagesOf(at)).toHaveLength(2);
  });
});
