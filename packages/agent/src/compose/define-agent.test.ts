import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createIdSource, createSystemClock } from '@berth/kit';
import { createRecordingLogger } from '@berth/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { testAuth } from '../testing/test-auth.ts';
import type { Agent } from './agent.ts';
import { createAgent } from './define-agent.ts';

const HELLO = { messages: [{ role: 'user', content: 'hello' }] };
const folders: string[] = [];

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-'));
  folders.push(folder);
  return folder;
}

afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))));

/** An agent that no one has opened yet. */
function closedAgent(
  workingFolder: string,
  environment: Record<string, string> = {},
  lines: string[] = [],
  name = 'closed',
) {
  const handler = () => ['hi'];
  return createAgent(
    { name, auth: testAuth(), handler },
    {
      environment,
      workingFolder,
      clock: createSystemClock(),
      ids: createIdSource(),
      logger: createRecordingLogger(lines),
      onEndSignal: () => () => {},
    },
  );
}

describe('an agent', () => {
  test('answers a turn over a real socket', async () => {
    await using fixture = await openTestAgent();
    const response = await fixture.call('alice', 'POST', '/?id=c1', HELLO);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('data: {"type":"text","text":"You said: hello"}');
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(existsSync(path.join(fixture.dataFolder, '.db', 'agent.sqlite'))).toBe(true);
  });

  test('without auth answers anybody, keeps nothing, and has no routes of state', async () => {
    await using fixture = await openTestAgent({ hasAuth: false });
    expect(await (await fixture.call(undefined, 'POST', '/', HELLO)).text()).toContain('You said: hello');
    expect((await fixture.call(undefined, 'GET', '/chats')).status).toBe(404);
    expect(existsSync(path.join(fixture.dataFolder, '.db'))).toBe(false);
  });

  test('asks for a token, in the header, and says why one is not taken', async () => {
    await using fixture = await openTestAgent();
    const answer = async (token: string | undefined, target: string) => {
      const response = await fixture.call(token, 'GET', target);
      const { detail } = (await response.json()) as { readonly detail: string };
      return [response.status, response.headers.get('www-authenticate'), detail];
    };
    expect(await answer(undefined, '/chats')).toEqual([401, 'Bearer', expect.stringContaining('Sign in first')]);
    expect(await answer('expired', '/chats')).toEqual([
      401,
      'Bearer error="invalid_token", error_description="The token has expired."',
      'The token has expired.',
    ]);
    const inQuery = await answer(undefined, '/chats?access_token=alice');
    expect([inQuery[0], inQuery[2]]).toEqual([401, expect.stringContaining('Tokens in the query are not accepted')]);
  });

  test("has its owner's routes beside the contract's, with the same sign-in and the same errors", async () => {
    await using fixture = await openTestAgent({
      prepare(agent) {
        agent.routes.get('/hello/:name', (c) => c.text(`hello ${c.req.param('name')}`));
        agent.routes.get('/whoami', agent.requireUser, (c) => c.json({ owner: c.get('owner') }));
        agent.routes.get('/chats', (c) => c.text('mine'));
        agent.routes.get('/broken', () => {
          throw new Error('the secret is hunter2');
        });
      },
    });
    const get = async (target: string, token?: string) => {
      const response = await fixture.call(token, 'GET', target);
      return [response.status, await response.text()] as const;
    };
    expect(await get('/hello/you')).toEqual([200, 'hello you']);
    expect(await get('/whoami', 'bob.acme')).toEqual([200, '{"owner":"acme:bob"}']);
    expect((await get('/whoami'))[0]).toBe(401);
    expect(await get('/chats', 'alice')).toEqual([200, '[]']);
    const [status, text] = await get('/broken');
    expect([status, text.includes('hunter2')]).toEqual([500, false]);
    expect((await get('/nowhere'))[0]).toBe(404);
    expect((await fixture.call(undefined, 'DELETE', '/hello/you')).status).toBe(405);
  });

  test('is found wrong when it is defined', () => {
    const define = (options: object) => () => createAgent(options as never, {} as never);
    expect(define({ name: 'Not A Name', handler: () => [] })).toThrow('name must be lower-case letters');
    expect(define({ name: 'fine' })).toThrow(/handler/);
    expect(define({ name: 'fine', handler: 'hello' })).toThrow(/handler/);
    const handler = () => [];
    expect(define({ name: 'fine', handler, storageName: 'Was This' })).toThrow(/storageName must be/);
    expect(define({ name: 'fine', handler, project: 'with space' })).toThrow(/project must be/);
  });
});

describe('where it runs', () => {
  test('data is put where the platform mounts the first volume that can be written', async () => {
    const folder = await tempFolder();
    const volumes = { '/a': { read_only: true }, '/b': { read_only: false, path: path.join(folder, 'volume') } };
    const agent = closedAgent(folder, { BERTH_VOLUMES: JSON.stringify(volumes) });
    await agent.fetch(new Request('http://agent/chats', { headers: { Authorization: 'Bearer alice' } }));
    await agent.close();
    expect(existsSync(path.join(folder, 'volume', '.db', 'agent.sqlite'))).toBe(true);
  });

  // Fails when `openAgent` opens the default folder all the same: a redeploy without a volume then loses every chat.
  test.each([
    ['on the platform', { K_SERVICE: 'helper' }, '--volume /data=helper'],
    ['with a read-only volume', { K_SERVICE: 'helper', BERTH_VOLUMES: '{"/d":{"read_only":true}}' }, '--volume /data='],
    ['in production elsewhere', { NODE_ENV: 'production' }, 'BERTH_AGENT_DATA'],
  ])('%s an agent with sign-in does not start without a place that lasts', async (_title, environment, flag) => {
    const folder = await tempFolder();
    const agent = closedAgent(folder, environment);
    await expect(agent.listen({ port: 0 })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(new RegExp(`${flag}.*DATABASE_URL`)),
    });
    expect(existsSync(path.join(folder, 'data'))).toBe(false);
    await agent.close();
  });

  test.each([
    ['with a folder of its own choice', 'production', { BERTH_AGENT_DATA: 'lasting' }],
    ['outside production', 'development', {}],
  ])('%s it starts', async (_title, mode, environment) => {
    const agent = closedAgent(await tempFolder(), { NODE_ENV: mode, ...environment });
    await agent.listen({ port: 0 });
    await agent.close();
  });

  // Fails when the name or the environment's account is left out of the identity, or it isn't handed to the store.
  test('two agents in one data folder share nothing, and one of another project is refused', async () => {
    const folder = await tempFolder();
    const environmentOf = (account: string) => ({
      BERTH_AGENT_DATA: folder,
      K_SERVICE: 'a',
      BERTH_ACCOUNT_ID: account,
    });
    const ask = (agent: Agent, method: string, target: string, body?: object) =>
      agent.fetch(
        new Request(`http://agent${target}`, {
          method,
          headers: { Authorization: 'Bearer alice', 'Content-Type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }),
      );
    const [one, other] = [
      closedAgent(folder, environmentOf('acc_1')),
      closedAgent(folder, environmentOf('acc_1'), [], 'b'),
    ];
    expect((await ask(one, 'PUT', '/chats/c1', { title: 'One' })).status).toBe(200);
    expect((await ask(one, 'PUT', '/files/notes.txt', {})).status).toBe(200);
    expect(await (await ask(other, 'GET', '/chats')).json()).toEqual([]);
    expect(await (await ask(other, 'GET', '/files')).json()).toEqual([]);
    const foreign = closedAgent(folder, environmentOf('acc_2'));
    await expect(foreign.listen({ port: 0 })).rejects.toThrow('BERTH_AGENT_PROJECT=acc_1/a');
    const moved = closedAgent(folder, { ...environmentOf('acc_2'), BERTH_AGENT_PROJECT: 'acc_1/a' });
    expect(await (await ask(moved, 'GET', '/chats')).json()).toMatchObject([{ id: 'c1' }]);
    await Promise.all([one, other, foreign, moved].map((agent) => agent.close()));
  });

  // Fails when an id in a folder that goes with the instance identifies the project: the next instance is refused.
  test('in production, Postgres without a lasting folder needs a name of the project', async () => {
    const folder = await tempFolder();
    const environment = { NODE_ENV: 'production', DATABASE_URL: 'postgres://127.0.0.1:9/none' };
    const agent = closedAgent(folder, environment);
    await expect(agent.listen({ port: 0 })).rejects.toThrow('Set BERTH_AGENT_PROJECT to a name of this project');
    expect(existsSync(path.join(folder, 'data'))).toBe(false);
    const named = closedAgent(folder, { ...environment, BERTH_AGENT_PROJECT: 'mine' });
    await expect(named.listen({ port: 0 })).rejects.toThrow("The database of DATABASE_URL can't be used");
    await Promise.all([agent.close(), named.close()]);
  });

  test('a database that cannot be opened is told, and opened when it can', async () => {
    const folder = await tempFolder();
    const lines: string[] = [];
    await writeFile(path.join(folder, 'data'), 'a file where the folder should be');
    const agent = closedAgent(folder, {}, lines);
    const ask = () => agent.fetch(new Request('http://agent/chats', { headers: { Authorization: 'Bearer alice' } }));
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(lines.join()).toContain(`${path.join(folder, 'data', '.db')} can't be made`);
    await expect(agent.listen({ port: 0 })).rejects.toThrow();
    await rm(path.join(folder, 'data'));
    expect((await ask()).status).toBe(200);
    await agent.close();
    await agent.close();
    const after = await ask();
    expect([after.status, await after.json()]).toEqual([503, { detail: 'The agent is shutting down. Try again.' }]);
  });

  test('a port that is none, or is taken, is told', async () => {
    const folder = await tempFolder();
    const agent = closedAgent(folder, { PORT: '80a' });
    await expect(agent.listen()).rejects.toThrow('PORT is "80a"; it must be a number from 0 to 65535.');
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    await expect(agent.listen({ port, host: '127.0.0.1' })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    server.close();
    const { url } = await agent.listen({ port: 0, host: '127.0.0.1' });
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    await agent.close();
  });

  test('SIGTERM lets a turn end and the process with it', async () => {
    const folder = await tempFolder();
    const main = path.join(import.meta.dirname, '..', 'testing', 'draining-agent-main.ts');
    const child = spawn(process.execPath, [main], {
      env: { PATH: process.env['PATH'], PORT: '0', HOST: '127.0.0.1', BERTH_AGENT_DATA: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      let url = '';
      for await (const line of createInterface({ input: child.stdout })) {
        const entry = JSON.parse(line) as {
          readonly severity: string;
          readonly message: string;
          readonly url?: string;
        };
        expect(entry).toMatchObject({ severity: 'INFO', message: expect.any(String) });
        url = entry.url ?? '';
        if (url) break;
      }
      const headers = { Authorization: 'Bearer alice', 'Content-Type': 'application/json' };
      const response = await fetch(`${url}/?id=c1`, { method: 'POST', headers, body: JSON.stringify(HELLO) });
      child.kill('SIGTERM');
      const text = await response.text();
      expect(text).toContain('10 ');
      expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  }, 120_000);
});

// Fails when the library takes a stream that was sent for a response without a body, and writes an error into the stream.
test('streams are whole in a process whose global Response is another one', async () => {
  const program = `
    const { getRequestListener } = await import('@hono/node-server');
    // As any server of this library does.
    getRequestListener(() => new Response('x'));
    const { requestListener } = await import(${JSON.stringify(new URL('define-agent.ts', import.meta.url).href)});
    const { eventStream } = await import('@berth/http');
    const { createSilentLogger, createSystemClock } = await import('@berth/kit');
    const { createServer } = await import('node:http');
    const options = { clock: createSystemClock(), logger: createSilentLogger(), silenceMs: 60_000 };
    async function* follow() {
      for (const word of ['one', 'two']) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield 'data: ' + word + '\\n\\n';
      }
    }
    const server = createServer(requestListener(() => eventStream(follow, options)));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const answer = await fetch('http://127.0.0.1:' + server.address().port);
    process.stdout.write(await answer.text());
    process.exit(0);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, 'close');
  expect(text).toBe('data: one\n\ndata: two\n\n');
});
