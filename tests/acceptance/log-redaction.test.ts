import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { agentToken, callerOf, deployAgent } from '../harness/agents.ts';
import { deployed } from '../harness/deploy.ts';
import { nodeProject } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { volumeClient } from '../harness/volumes.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth({ env: { BERTH_LOG_LEVEL: 'debug', BERTH_ADMIN_PORT: '0' } });

const [SERVICE, AGENT] = ['canary-service', 'canary-agent'];

/** Prints more than a segment of its log holds when it is asked to. */
const FILES = nodeProject(`
  import { once } from 'node:events';
  import { createServer } from 'node:http';
  createServer(async (request, response) => {
    if (request.url === '/flood') {
      for (let n = 0; n < 20_000; n++) {
        if (!process.stdout.write('line ' + n + ' ' + 'x'.repeat(480) + '\\n')) await once(process.stdout, 'drain');
      }
    }
    response.end('ok');
  }).listen(process.env.PORT, '0.0.0.0');
`);

/** Every byte of the logs on the disk: lines as they are, Parquet as it is packed. */
function storedBytes(): { readonly bytes: Buffer; readonly hasParquet: boolean } {
  const files = readdirSync(path.join(berth.dataFolder, 'logs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
  return { bytes, hasParquet: files.some((file) => file.includes(SERVICE) && file.endsWith('.parquet')) };
}

// Fails when the gateway records the target as it came, when a request's line of the agent shows its path as it came, and when
// a name or a route is taken out of the redactor's tables.
it('no log, line or figure holds a share’s token, a signature or another secret of a URL', {
  timeout: 240_000,
}, async () => {
  const canary = `canary${randomBytes(12).toString('hex')}`;
  await deployed(berth, SERVICE, { files: FILES });
  const targets = [
    ...['token', 'sig', 'signature', 'access_token', 'code', 'X-Amz-Signature', 'client_secret', 'api-key'],
    ...['%74oken', 's%69g', '%53IGNATURE', 'access%5Ftoken', '%2563ode', 'x%2Damz%2dsignature', 'Token', 'user[token]'],
  ].map((name) => `/seen?shown=1&${name}=${canary}&last=1`);
  targets.push(`/seen?url=${encodeURIComponent(`https://s3.test/o?X-Amz-Signature=${canary}`)}`);
  targets.push(`http://${SERVICE}.localhost:${berth.port}/seen?code=${canary}`);
  for (const target of targets) expect((await request(berth, SERVICE, target)).status).toBe(200);

  await deployAgent(berth, AGENT, 'agent-echo');
  const ada = callerOf(berth, AGENT, await agentToken(berth, AGENT));
  using turn = await ada.turn('shared', 'Hello');
  await turn.finish();
  const share = (await ada.call('POST', '/share', { path: 'chat/shared' })).json<{ token: string; url: string }>();
  const { token } = share;
  const page = share.url;
  const data = page.replace('/shared/', '/share/');
  for (const target of [`${data}/data`, `${data.replace('/share', '/%73hare')}/data`]) {
    expect([target, (await ada.call('GET', target)).status]).toEqual([target, 200]);
  }
  expect((await ada.call('GET', page, undefined, { headers: { accept: 'text/html' } })).status).toBe(200);
  expect((await ada.call('GET', `${data}/file/none.txt`)).status).toBe(404);
  expect((await ada.call('POST', `${data}/fork`)).status).toBe(200);
  expect((await ada.call('GET', `/share/${token}/data`)).status).toBe(404);
  expect((await ada.call('DELETE', `/share/${token}`)).status).toBe(200);

  const volume = volumeClient(berth, AGENT);
  const signed = new URL(await volume.sign('upload', 'a.txt'));
  const signature = signed.searchParams.get('signature') as string;
  expect((await fetch(signed, { method: 'PUT', body: 'a' })).status).toBe(200);
  // Refused ones are logged by the storage listener, and on the public ports.
  expect((await fetch(signed, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${signed.href}&x=1`, { method: 'GET' })).status).toBe(403);
  await request(berth, 'storage', signed.pathname + signed.search, { method: 'DELETE' });
  await request(berth, SERVICE, signed.pathname + signed.search);

  const secrets = [canary, token, signature];
  const isStored = (text: string) => storedBytes().bytes.includes(text);
  await waitFor('the requests are stored', async () => isStored('/fork 200') && isStored('&signature=REDACTED'));
  expect(isStored('/seen?shown=1&access%5Ftoken=REDACTED&last=1')).toBe(true);
  for (const secret of secrets) expect(isStored(secret)).toBe(false);

  // What was lines becomes Parquet, where the API looks.
  await request(berth, SERVICE, '/flood');
  await waitFor('they are in Parquet', async () => storedBytes().hasParquet, { timeoutMs: 60_000 });
  const count = async (word: string) => {
    const where = `CAST(logs AS VARCHAR) LIKE '%${word}%'`;
    const answer = await berth.post('/v1/sql', { query: `SELECT COUNT(*) AS n FROM logs WHERE ${where}` });
    return Number(((await answer.json()) as { n: number }[])[0]?.n);
  };
  for (const name of [SERVICE, AGENT]) {
    expect((await readLogs(berth, name, { query: 'REDACTED' })).logs.length).toBeGreaterThan(3);
    for (const secret of secrets) expect((await readLogs(berth, name, { query: secret })).logs).toEqual([]);
  }
  expect(await count('REDACTED')).toBeGreaterThan(targets.length);
  for (const secret of secrets) expect(await count(secret)).toBe(0);

  const adminUrl = /Metrics\s+(http:\S+)\/metrics/.exec(berth.output)?.[1];
  const figures = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(figures).toContain(SERVICE);
  expect(berth.output).toContain('a transfer was refused');
  for (const secret of secrets) expect(figures.includes(secret) || berth.output.includes(secret)).toBe(false);
});
