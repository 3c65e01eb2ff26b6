import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { LogEntry } from '@berth/contract';
import { expect, it } from 'vitest';
import { residentMib } from '../../bench/process-tree.ts';
import { serverProcesses } from '../../bench/soak/leftovers.ts';
import { type Berth, createBerth, startBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { needs } from '../harness/needs.ts';
import { nodeProject } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

/** `BERTH_BOMB_MIB=1024 npx vitest run tests/acceptance/logs-bomb.test.ts` is the larger one. */
const BOMB_MIB = Number(process.env['BERTH_BOMB_MIB'] ?? 64);
/** Source: docs/guides/logs.md. */
const PART_BYTES = 262_144;
const NAME = 'bomb';

/** `/line` prints so many MiB without a line end in between, `/lines` so many lines of random text; each answers when its pipe took it. */
const SERVICE = nodeProject(`
  import { randomBytes } from 'node:crypto';
  import { once } from 'node:events';
  import { createServer } from 'node:http';
  const print = async (text) => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  };
  createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://x');
    const startedMs = performance.now();
    if (pathname === '/line') {
      for (let mib = 0; mib < Number(searchParams.get('mib')); mib++) await print(String(mib % 10).repeat(2 ** 20));
      await print('\\n');
    }
    for (let n = 0; n < Number(searchParams.get('lines')); n++) {
      await print('line ' + n + ' ' + randomBytes(600).toString('base64') + '\\n');
    }
    if (searchParams.has('word')) await print(searchParams.get('word') + '\\n');
    response.end(String(performance.now() - startedMs));
  }).listen(process.env.PORT, '0.0.0.0');
`);

/** All entries that fit, by the cursor. */
async function readAll(berth: Berth, query: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (let since = '1970-01-01T00:00:00Z'; ; ) {
    const { logs, cursor } = await readLogs(berth, NAME, { query, since });
    if (logs.length === 0) return entries;
    entries.push(...logs);
    since = cursor ?? since;
  }
}

it(`a line of ${BOMB_MIB} MiB is kept in marked parts, in flat memory`, {
  timeout: 60_000 + BOMB_MIB * 2_000,
}, async () => {
  await using berth = await startBerth();
  await deployed(berth, NAME, { files: SERVICE, fields: { timeout: '3600' } });
  await request(berth, NAME, '/line?mib=4&word=warm');
  const memory = () => residentMib(serverProcesses(berth.pid));
  const beforeMib = memory();
  let peakMib = 0;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, memory());
  }, 50);
  const ms = Number((await request(berth, NAME, `/line?mib=${BOMB_MIB}&word=behind`)).text);
  const behind = await waitFor(
    'what came behind it is in the log',
    async () => (await readAll(berth, 'textPayload=behind'))[0],
    {
      timeoutMs: 60_000,
    },
  );
  clearInterval(timer);
  console.log(
    `${BOMB_MIB} MiB in ${Math.round(ms)} ms; server ${Math.round(beforeMib)} MiB before, ${Math.round(peakMib)} at most`,
  );
  expect(peakMib - beforeMib).toBeLessThan(256);

  const { logs: parts } = await readLogs(berth, NAME, {
    query: `labels.line_part:* timestamp<"${behind.timestamp}"`,
    limit: 1_000,
  });
  // One answer holds 16 MiB: these are the last parts.
  expect(parts.length).toBeGreaterThan(10);
  const last = String((BOMB_MIB - 1) % 10);
  for (const { message } of parts.slice(-2)) expect(message).toBe(last.repeat(message.length));
  expect(Math.max(...parts.map(({ message }) => message.length))).toBe(PART_BYTES);
  // A part may be shorter, where nothing came for half a second on a busy machine. The oldest go where a log is over its size.
  const query = `SELECT SUM(LENGTH(text_payload)) AS n FROM logs WHERE log_name = 'stdout' AND text_payload NOT IN ('warm', 'behind')`;
  const rows = (await (await berth.post('/v1/sql', { query })).json()) as { n: number }[];
  if (BOMB_MIB + 4 <= 256) expect(Number(rows[0]?.n)).toBe((BOMB_MIB + 4) * 2 ** 20);
});

it('a full disk stops no service; what is lost is counted in the log to the entry', {
  timeout: 180_000,
}, async (context) => {
  await needs(context, 'freezer');
  await using berth = createBerth();
  const logs = path.join(berth.dataFolder, 'logs');
  mkdirSync(logs);
  const mount = (...words: string[]) => spawnSync('mount', [...words, logs], { stdio: 'ignore' }).status === 0;
  if (!mount('-t', 'tmpfs', '-o', 'size=12m', 'tmpfs')) context.skip('needs to mount a small disk');
  try {
    await berth.start();
    await deployed(berth, NAME, { files: SERVICE, fields: { timeout: '600' } });
    const LINES = 40_000;
    await request(berth, NAME, `/?lines=${LINES}&word=full`);
    expect((await request(berth, NAME, '/')).status).toBe(200);
    expect([200, 503]).toContain((await berth.post('/v1/deployment/logs', { deployment_name: NAME })).status);
    expect(mount('-o', 'remount,size=200m')).toBe(true);
    const print = async (word: string) => {
      await request(berth, NAME, `/?word=${word}`);
      return (await readAll(berth, `textPayload=${word}`)).length > 0;
    };
    await waitFor('the log can be written again', () => print('room'), { timeoutMs: 60_000, everyMs: 500 });
    const notices = await readAll(berth, 'logName=system AND ("entries were lost" OR "entry was lost")');
    const lost = notices.reduce((sum, { message }) => sum + Number.parseInt(message, 10), 0);
    expect(notices[0]?.message).toMatch(/^\d+ log entries were lost: the disk is full \(ENOSPC\)$/);
    expect(lost).toBeGreaterThan(1_000);
    console.log(`${lost} entries lost, said ${notices.length} times`);
    // Entries of requests and of the platform may be among the lost ones: a few.
    const kept = (await readAll(berth, 'textPayload=~"^line "')).length;
    expect(kept + lost).toBeGreaterThanOrEqual(LINES);
    expect(kept + lost).toBeLessThan(LINES + 200);
    await berth.stop();
  } finally {
    spawnSync('umount', ['-l', logs], { stdio: 'ignore' });
  }
});
