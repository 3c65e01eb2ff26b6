import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { REPO } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter, probe } from '../harness/project-files.ts';
import { openRawConnection } from '../harness/raw-connection.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { changeDatabase } from '../harness/test-database.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-certificates-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The operator puts another certificate in the place of the one that is served. */
function install(name: 'first' | 'second'): void {
  const fixtures = path.join(REPO, 'tests/fixtures/certificates');
  for (const kind of ['crt', 'key'])
    copyFileSync(path.join(fixtures, `${name}.${kind}`), path.join(folder, `a.${kind}`));
}

install('first');
const tlsPort = await freePort();
const berth = useBerth({
  env: {
    BERTH_GATEWAY_WORKERS: '2',
    BERTH_ADMIN_PORT: '0',
    BERTH_TLS_PORT: String(tlsPort),
    BERTH_TLS_CERT: path.join(folder, 'a.crt'),
    BERTH_TLS_KEY: path.join(folder, 'a.key'),
  },
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The name on the certificate that a new connection is shown, and the answer it gets. */
async function overTls(name: string): Promise<{ readonly shown: string; readonly answer: string }> {
  const host = `${name}.localhost`;
  const socket = connectTls({
    host: '127.0.0.1',
    port: tlsPort,
    servername: 'secure.localhost',
    rejectUnauthorized: false,
  });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const shown = String(socket.getPeerCertificate().subject.CN);
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return { shown, answer };
}

/** Opens a TLS connection with an earlier session, if any. Returns whether the server resumed it, and its latest session. */
async function resume(session?: Buffer): Promise<{ readonly isReused: boolean; readonly session: Buffer | undefined }> {
  const socket = connectTls({
    ...{ host: '127.0.0.1', port: tlsPort, servername: 'secure.localhost', rejectUnauthorized: false },
    ...(session && { session }),
  });
  let latest: Buffer | undefined;
  let isReused = false;
  socket.on('session', (ticket: Buffer) => (latest = ticket));
  socket.once('secureConnect', () => (isReused = socket.isSessionReused()));
  socket.write('GET / HTTP/1.1\r\nHost: nobody.localhost\r\nConnection: close\r\n\r\n');
  await text(socket);
  return { isReused, session: latest };
}

/** What `count` connections get, so that each worker has had some of them. */
const many = <Value>(count: number, work: () => Promise<Value>) => Promise.all(Array.from({ length: count }, work));

describe('a gateway of two workers', () => {
  it('serves the landing page, the API and 404s at the addresses of one', async () => {
    const page = await fetch(berth.url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>Berth</title>')]);
    expect((await fetch(`${berth.url}/openapi.json`)).status).toBe(200);
    expect((await berth.api('/v1/deployment/list')).status).toBe(200);
    expect((await fetch(`${berth.url}/v1/deployment/list`)).status).toBe(401);
    expect((await request(berth, uniqueName('nobody'))).status).toBe(404);
    using connection = await openRawConnection(berth.port);
    await connection.send('GET / HTTP/1.1\r\nHost: strange.example\r\nConnection: close\r\n\r\n');
    expect(await connection.receiveAll()).toMatch(/^HTTP\/1\.1 404 [\s\S]*No service at strange\.example/);
  });

  it('bounds a service over both of them', async () => {
    const name = uniqueName('bounded');
    await deployed(berth, name, { files: probe(), fields: { concurrency: '3', max_instances: '1' } });
    const answers = await many(24, () => request(berth, name, '/sleep?ms=100'));
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
    expect((await request(berth, name, '/peak')).json()).toEqual({ peakInFlight: 3 });
  });

  it('logs every request once, whichever of them took it', async () => {
    const name = uniqueName('logged');
    await deployed(berth, name, { files: greeter('hi') });
    await many(20, () => request(berth, name, `/one?n=${crypto.randomUUID()}`));
    const logged = async () =>
      (await readLogs(berth, name)).logs.map(({ message }) => message).filter((text) => text.startsWith('GET /one'));
    await waitFor('all of them are logged', async () => (await logged()).length >= 20);
    expect(new Set(await logged()).size).toBe(20);
    expect(await logged()).toHaveLength(20);
  });

  it('shows one certificate, and a new one as soon as the operator says so, without losing a connection', async () => {
    const name = uniqueName('secured');
    await deployed(berth, name, { files: greeter('over TLS') });
    const before = await many(8, () => overTls(name));
    expect(new Set(before.map(({ shown }) => shown))).toEqual(new Set(['first']));
    expect(before.every(({ answer }) => answer.endsWith('over TLS'))).toBe(true);
    const open = connectTls({ host: '127.0.0.1', port: tlsPort, rejectUnauthorized: false });
    await new Promise((resolve) => open.once('secureConnect', resolve));
    install('second');
    process.kill(berth.pid, 'SIGHUP');
    await waitFor('all show the new one', async () =>
      (await many(8, () => overTls(name))).every(({ shown }) => shown === 'second'),
    );
    open.write(`GET / HTTP/1.1\r\nHost: ${name}.localhost\r\nConnection: close\r\n\r\n`);
    let answer = '';
    for await (const chunk of open) answer += String(chunk);
    expect(answer).toContain('over TLS');
  });

  it('resumes the TLS sessions that any of them began', async () => {
    const { session } = await resume();
    const resumed = await many(16, () => resume(session));
    expect(resumed.filter(({ isReused }) => !isReused)).toEqual([]);
  });

  it('answers proofs of domains, and leads proven ones to their deployment', async () => {
    const name = uniqueName('shop');
    const domain = `${name}.example.com`;
    await deployed(berth, name, { files: greeter('the shop') });
    const added = await berth.post('/v1/domain/add', { deployment_name: name, domain });
    const { proof } = (await added.json()) as { proof: { http: { url: string; body: string } } };
    const get = async (pathname: string) => {
      using connection = await openRawConnection(berth.port);
      await connection.send(`GET ${pathname} HTTP/1.1\r\nHost: ${domain}\r\nConnection: close\r\n\r\n`);
      return await connection.receiveAll();
    };
    for (const answer of await many(6, () => get(new URL(proof.http.url).pathname))) {
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain(proof.http.body);
    }
    expect(await get('/')).toMatch(/^HTTP\/1\.1 404 /);
    // The world's DNS can't be had here: it is proven by hand.
    await berth.stop();
    await changeDatabase(
      berth.dataFolder,
      `UPDATE domains SET status = 'active', verified_at = 1 WHERE domain = '${domain}'`,
    );
    await berth.start();
    for (const answer of await many(6, () => get('/'))) expect(answer).toContain('the shop');
    expect((await berth.post('/v1/domain/remove', { domain })).status).toBe(200);
    // Every worker knows when the API has answered.
    for (const answer of await many(6, () => get('/'))) expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('shows the figures of each process', async () => {
    const adminUrl = [...berth.output.matchAll(/Metrics\s+(http:\S+)\/metrics/g)].at(-1)?.[1];
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    for (const role of ['main', 'control', 'worker-1', 'worker-2']) {
      expect(text).toMatch(new RegExp(`^process_resident_memory_bytes\\{role="${role}"\\} \\d+$`, 'm'));
    }
  });
});
