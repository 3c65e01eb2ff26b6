import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createAccount, createKey } from '../harness/accounts.ts';
import type { Berth } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const PROTOCOL = 'berth.exec.v1';
const TERMINAL = { columns: 80, rows: 24, type: 'xterm-256color' };

/** A command's connection: what it printed, and its last message. */
interface Session {
  readonly socket: WebSocket;
  readonly stdout: string;
  readonly last: Promise<Record<string, unknown>>;
  say(message: object): void;
}

/** Opens a command's connection. @throws Error with the status of a refusal. */
async function openSession(
  berth: Berth,
  name: string,
  start: object,
  {
    headers = { 'X-API-Key': berth.key },
    query = '',
    route = 'exec',
  }: { headers?: Record<string, string>; query?: string; route?: 'exec' | 'run' } = {},
): Promise<Session> {
  const url = `${berth.url.replace(/^http/, 'ws')}/v1/deployment/${name}/${route}${query}`;
  const socket = new WebSocket(url, PROTOCOL, { headers });
  const last = Promise.withResolvers<Record<string, unknown>>();
  let stdout = '';
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) stdout += data.subarray(1).toString();
    else {
      const message = JSON.parse(String(data)) as Record<string, unknown>;
      if (message['type'] !== 'started') last.resolve(message);
    }
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.send(JSON.stringify({ type: 'start', ...start }));
  return {
    socket,
    get stdout() {
      return stdout;
    },
    last: last.promise,
    say: (message) => socket.send(JSON.stringify(message)),
  };
}

async function serve(berth: Berth): Promise<string> {
  const name = uniqueName('exec');
  await deployed(berth, name, { files: greeter('hello') });
  return name;
}

interface AuditEntry {
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Returns the entries of commands in a service, oldest first. */
async function readAudit(berth: Berth, name: string, action = 'exec'): Promise<readonly AuditEntry[]> {
  const answer = await berth.api(`/v1/user/audit?action=${action}&target=${name}`);
  return ((await answer.json()) as { entries: AuditEntry[] }).entries.toReversed();
}

/** Returns the platform's messages about one-off instances of a service, or about an instance, oldest first. */
async function readLog(berth: Berth, name: string, instance?: string): Promise<string[]> {
  const query = instance ? `resource.labels.instance_id="${instance}"` : 'logName=system';
  const answer = await berth.post('/v1/deployment/logs', { deployment_name: name, limit: 1_000, query });
  return ((await answer.json()) as { logs: { message: string }[] }).logs.map(({ message }) => message);
}

describe.each([
  ['one process', {}],
  ['a control process and a worker', { BERTH_GATEWAY_WORKERS: '1' }],
])('commands in a service: %s', (_name, env) => {
  const berth = useBerth({ env });

  it('the command line passes arguments, output and exit code on, and wakes the service', async () => {
    const name = await serve(berth);
    const code = 'console.log(JSON.stringify(process.argv.slice(1))); console.error("aside"); process.exitCode = 7';
    const words = ['$(id)', ';', 'a b', '*', 'ü€'];
    const result = await cli(berth, ['exec', name, '--', 'node', '-e', code, '--', ...words]);
    expect(result).toEqual({ code: 7, stdout: `${JSON.stringify(words)}\n`, stderr: 'aside\n' });
    const json = await cli(berth, ['exec', name, '--json', '--', 'sh', '-c', 'echo out; kill -TERM $$']);
    expect(json.code).toBe(143);
    expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: null, signal: 'SIGTERM', stdout: 'out\n', stderr: '' });
    const unknown = await cli(berth, ['exec', 'no-such-service', '--', 'true']);
    expect(unknown).toMatchObject({
      code: expect.not.stringMatching('0'),
      stderr: expect.stringContaining('no-such-service'),
    });
  });

  it('a terminal is resized, interrupted and closed', async () => {
    const name = await serve(berth);
    const session = await openSession(berth, name, { command: ['sh', '-i'], terminal: TERMINAL });
    session.socket.send(Buffer.from('stty size\n'));
    await waitFor('the size', async () => session.stdout.includes('24 80'));
    session.say({ type: 'resize', columns: 132, rows: 50 });
    session.socket.send(Buffer.from('stty size; sleep 600\n'));
    await waitFor('the new size', async () => session.stdout.includes('50 132'));
    session.socket.send(Buffer.from('\x03'));
    session.socket.send(Buffer.from('exit 4\n'));
    expect(await session.last).toEqual({ type: 'exit', exit_code: 4, signal: null });
  });

  it('output waits while a client has paused it', async () => {
    const name = await serve(berth);
    const session = await openSession(berth, name, {
      command: ['sh', '-c', 'echo first; read line; yes | head -c 3000000'],
    });
    await waitFor('the first line', async () => session.stdout === 'first\n');
    session.socket.send(Buffer.from('go\n'));
    session.say({ type: 'pause' });
    // Answers to pings come in order with messages: what was sent before the pause has arrived.
    await new Promise((resolve) => session.socket.once('pong', resolve).ping());
    await new Promise((resolve) => session.socket.once('pong', resolve).ping());
    const atPause = session.stdout.length;
    const idle = await openSession(berth, name, { command: ['true'] });
    await idle.last;
    expect(session.stdout.length).toBe(atPause);
    expect(atPause).toBeLessThan(3_000_000);
    session.say({ type: 'resume' });
    expect(await session.last).toEqual({ type: 'exit', exit_code: 0, signal: null });
    expect(session.stdout.length).toBe(3_000_006);
  });

  it('a command ends when its client goes away', async () => {
    const name = await serve(berth);
    const mark = `mark${Date.now()}`;
    const session = await openSession(berth, name, {
      // The shell waits for its child, and has the mark in its own command line.
      command: ['sh', '-c', `echo ready; sleep 600; echo ${mark}`],
    });
    await waitFor('it runs', async () => session.stdout.includes('ready'));
    session.socket.terminate();
    await waitFor('its end', async () => (await readAudit(berth, name)).some(({ action }) => action === 'exec.end'));
    const [, end] = await readAudit(berth, name);
    expect(end).toMatchObject({ details: { error: 'cancelled' } });
    const look = await cli(berth, [
      'exec',
      name,
      '--',
      'sh',
      '-c',
      'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "',
    ]);
    expect(look.stdout).not.toContain('sleep 600 ');
    expect(look.stdout).not.toContain(mark);
  });

  it('the audit log has who, where, what and how it ended, and nothing that was typed or printed', async () => {
    const name = await serve(berth);
    const set = await berth.post('/v1/env/set', { deployment_name: name, set: { TOKEN: 'canary-environment' } });
    expect(set.ok).toBe(true);
    const session = await openSession(berth, name, { command: ['cat'] });
    session.socket.send(Buffer.from('canary-input'));
    session.say({ type: 'end' });
    expect(await session.last).toEqual({ type: 'exit', exit_code: 0, signal: null });
    expect(session.stdout).toBe('canary-input');
    await waitFor('both entries', async () => (await readAudit(berth, name)).length === 2);
    const [start, end] = await readAudit(berth, name);
    expect(start).toMatchObject({
      action: 'exec.start',
      actor: { kind: 'key' },
      target: name,
      details: { command: 'cat', terminal: false, instance: expect.stringMatching(/^inst_/) },
    });
    expect(end).toMatchObject({ action: 'exec.end', details: { exit_code: 0, duration_ms: expect.any(Number) } });
    expect(end?.details['id']).toBe(start?.details['id']);
    expect(JSON.stringify([start, end])).not.toContain('canary');
  });

  it('a one-off instance has the variables and volumes, passes the exit code on, and leaves nothing', async () => {
    const name = uniqueName('run');
    const volume = uniqueName('vol');
    expect((await berth.post('/v1/volume/create', { name: volume })).ok).toBe(true);
    await deployed(berth, name, {
      files: greeter('hello'),
      fields: { volumes: JSON.stringify({ '/mnt/data': volume }) },
    });
    expect((await berth.post('/v1/env/set', { deployment_name: name, set: { GREETING: 'ahoy' } })).ok).toBe(true);
    const result = await cli(
      berth,
      ['run', name, '--', 'sh', '-c', 'echo "$GREETING" | tee /mnt/data/said; cat >&2; exit 5'],
      {
        input: 'aside',
      },
    );
    expect(result).toEqual({ code: 5, stdout: 'ahoy\n', stderr: 'aside' });
    const objects = await (await berth.api(`/v1/volume/objects?volume=${volume}`)).json();
    expect(objects).toMatchObject({ objects: [{ path: 'said', size: 5 }] });
    const json = await cli(berth, ['run', name, '--json', '--', 'pwd']);
    const { instance, revision } = JSON.parse(json.stdout) as { instance: string; revision: string };
    const first = revision.replace(/-00002-.*/, '-00001');
    const known = (await (await berth.api(`/v1/deployment/${name}`)).json()) as { revisions: { revision: string }[] };
    const earlier = known.revisions.find((one) => one.revision.startsWith(first))?.revision ?? '';
    const old = await cli(berth, ['run', name, '--revision', earlier, '--', 'sh', '-c', 'echo "[$GREETING]"']);
    expect(old.stdout).toBe('[]\n');

    await waitFor('its end in the log', async () => (await readLog(berth, name, instance)).length === 2);
    expect(await readLog(berth, name, instance)).toEqual([
      'Instance started: a command of berth run.',
      'Instance stopped: its command finished.',
    ]);
    const audit = await readAudit(berth, name, 'run');
    expect(audit.map(({ action }) => action)).toEqual(Array(3).fill(['run.start', 'run.end']).flat());
    expect(audit[1]).toMatchObject({ details: { exit_code: 5 } });
    expect(audit[2]).toMatchObject({ details: { instance, revision, command: 'pwd' } });

    const missing = await cli(berth, ['run', name, '--revision', 'nothing', '--', 'true']);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('has no revision nothing') });
    expect((await cli(berth, ['stop', name])).code).toBe(0);
    const stopped = await cli(berth, ['run', name, '--', 'true']);
    expect(stopped.stderr).toContain('is stopped');
  });

  it('a one-off instance ends with its client, and with its deployment', async () => {
    const name = await serve(berth);
    const start = { command: ['sh', '-c', 'echo ready; sleep 600'] };
    const left = await openSession(berth, name, start, { route: 'run' });
    await waitFor('it runs', async () => left.stdout.includes('ready'));
    left.socket.terminate();
    await waitFor('its end', async () =>
      (await readLog(berth, name)).some((line) => line.includes('command finished')),
    );
    const kept = await openSession(berth, name, start, { route: 'run' });
    await waitFor('it runs', async () => kept.stdout.includes('ready'));
    expect((await berth.post('/v1/deployment/delete', { name })).ok).toBe(true);
    expect(await kept.last).toMatchObject({ type: 'exit', signal: expect.stringMatching(/^SIG(TERM|KILL)$/) });
  });

  it('is refused without the scope, to another account, to pages of others, and beside WebSockets', async () => {
    const name = await serve(berth);
    const start = { command: ['true'] };
    const key = await createKey(berth, { scopes: ['read', 'deploy', 'logs', 'volumes'] });
    const other = await createAccount(berth, uniqueName('other'));
    const asKey = (secret: string) => ({ headers: { 'X-API-Key': secret } });
    await expect(openSession(berth, name, start, asKey(key.secret))).rejects.toThrow('403');
    await expect(openSession(berth, name, start, asKey(other.key))).rejects.toThrow(/40[34]/);
    await expect(openSession(berth, 'no-such-service', start)).rejects.toThrow('404');
    await expect(openSession(berth, name, start, { ...asKey(key.secret), route: 'run' })).rejects.toThrow('403');
    await expect(openSession(berth, name, start, { ...asKey(other.key), route: 'run' })).rejects.toThrow(/40[34]/);
    await expect(openSession(berth, name, start, { headers: {} })).rejects.toThrow('401');
    expect((await berth.api(`/v1/deployment/${name}/exec`)).status).toBe(400);
    const missing = await openSession(berth, name, start, { query: '?instance=inst_nothing' });
    expect(await missing.last).toMatchObject({ type: 'error', code: 'not_found' });
    const allowed = await createKey(berth, { scopes: ['exec'] });
    const session = await openSession(berth, name, start, asKey(allowed.secret));
    expect(await session.last).toMatchObject({ type: 'exit', exit_code: 0 });
  });

  it('at most ten run at once for an account', async () => {
    const name = await serve(berth);
    const sessions = await Promise.all(
      Array.from({ length: 10 }, () => openSession(berth, name, { command: ['sleep', '600'] })),
    );
    await expect(openSession(berth, name, { command: ['true'] })).rejects.toThrow('429');
    for (const { socket } of sessions) socket.terminate();
    await waitFor('room', () =>
      openSession(berth, name, { command: ['true'] }).then(
        () => true,
        () => false,
      ),
    );
  });
});
