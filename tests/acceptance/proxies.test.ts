import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { makeCertificate } from '../../packages/certificates/src/testing/make-certificate.ts';
import { createBerth, REPO } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { freePort } from '../harness/free-port.ts';
import { needs, skipOrFail } from '../harness/needs.ts';
import { nodeProject, probe } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { waitFor } from '../harness/wait-for.ts';

const DOMAIN = 'apps.example.com';
const HOST = `probe.${DOMAIN}`;
/** A client that is not the proxy. */
const CLIENT = '127.0.0.2';
const UPLOAD_BYTES = 64 * 2 ** 20;
const FIRST_BYTES = 100_000;
const SINK = `sink.${DOMAIN}`;
/** A service that says how much of an upload it has received, and its hash at the end. */
const SINK_SOURCE = `import { createHash } from 'node:crypto';
  import { createServer } from 'node:http';
  let received = 0;
  createServer(async (request, response) => {
    if (request.url !== '/upload') return response.end(String(received));
    const hash = createHash('sha256');
    for await (const chunk of request) {
      received += chunk.length;
      hash.update(chunk);
    }
    response.end(hash.digest('hex'));
  }).listen(process.env.PORT, '0.0.0.0');`;

interface Ports {
  readonly berth: number;
  readonly https: number;
  readonly http: number;
}

/** The configurations of deploy/proxy with the ports and files of the test. */
const PROXIES = {
  nginx(folder: string, { berth, https, http }: Ports) {
    const config = readFileSync(path.join(REPO, 'deploy/proxy/nginx.conf'), 'utf8')
      .replaceAll('/etc/berth', folder)
      .replace('127.0.0.1:8787', `127.0.0.1:${berth}`)
      .replace('listen 443', `listen 127.0.0.1:${https}`)
      .replace('listen 80', `listen 127.0.0.1:${http}`);
    writeFileSync(path.join(folder, 'berth.conf'), config);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const main = `daemon off; pid ${folder}/pid; error_log stderr; events {}
http { access_log off; ${temporary.join(' ')} include ${folder}/berth.conf; }`;
    writeFileSync(path.join(folder, 'nginx.conf'), main);
    return spawn('/usr/sbin/nginx', ['-c', path.join(folder, 'nginx.conf')], { stdio: 'ignore' });
  },
  caddy(folder: string, { berth, https, http }: Ports) {
    const config = readFileSync(path.join(REPO, 'deploy/proxy/Caddyfile'), 'utf8')
      .replaceAll('/etc/berth', folder)
      .replace('127.0.0.1:8787', `127.0.0.1:${berth}`);
    const file = path.join(folder, 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n${config}`);
    const env = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    return spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore', env });
  },
} as const satisfies Record<string, (folder: string, ports: Ports) => ChildProcess>;

it.for(['nginx', 'caddy'] as const)(
  'the configuration of deploy/proxy for %s passes on hosts, clients, WebSockets, streams and large uploads',
  { timeout: 180_000 },
  async (name, context) => {
    await needs(context, name);
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-proxy-'));
    const { certPem, keyPem } = await makeCertificate({ names: [DOMAIN, `*.${DOMAIN}`] });
    writeFileSync(path.join(folder.path, 'apps.crt'), certPem);
    writeFileSync(path.join(folder.path, 'apps.key'), keyPem);
    const ports = { berth: await freePort(), https: await freePort(), http: await freePort() };
    await using berth = createBerth({
      args: ['--port', String(ports.berth), '--public-port', String(ports.berth)],
      env: { BERTH_DOMAIN: DOMAIN, BERTH_TRUSTED_PROXIES: '127.0.0.1/32' },
    });
    await berth.start().catch((error: unknown) => {
      // A service could pose as the proxy on this machine.
      if (berth.output.includes('--trusted-proxies has')) return skipOrFail(context, 'needs network isolation');
      throw error;
    });
    await deployed(berth, 'probe', { files: probe() });
    await deployed(berth, 'sink', { files: nodeProject(SINK_SOURCE), fields: { max_instances: '1' } });
    const proxy = PROXIES[name](folder.path, ports);
    try {
      await waitFor('the proxy answers', async () => {
        const sent = await open(ports, '/');
        sent.end();
        const answer = await answerOf(sent).catch(() => undefined);
        answer?.resume();
        return answer?.statusCode === 200;
      });
      await passesClients(ports, name);
      await waitFor('the log has the client', async () => {
        const { logs } = await readLogs(berth, 'probe', { query: `httpRequest.remoteIp="${CLIENT}"` });
        return logs.some(({ message }) => message.startsWith('GET /echo'));
      });
      await passesStreams(ports);
      await passesUploads(ports);
      await passesWebSockets(ports);
    } finally {
      proxy.kill();
      await once(proxy, 'exit');
    }
  },
);

/** A request through the proxy that isn't ended. */
async function open(
  { https }: Ports,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<ClientRequest> {
  const sent = request({
    ...{ host: '127.0.0.1', port: https, localAddress: CLIENT, servername: HOST, rejectUnauthorized: false },
    ...{ path: target, method, headers: { host: HOST, ...headers }, agent: false },
  });
  // The waits of the test see a failure.
  sent.on('error', () => {});
  sent.flushHeaders();
  return sent;
}

async function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

/** Fails when the proxy replaces the host, or when a client can choose the address that Berth takes for its own. */
async function passesClients(ports: Ports, name: string): Promise<void> {
  const sent = await open(ports, '/echo', { 'X-Forwarded-For': '203.0.113.9' });
  sent.end();
  const { headers } = JSON.parse(await text(await answerOf(sent))) as { headers: string[] };
  const value = (wanted: string) => headers[headers.findIndex((one) => one.toLowerCase() === wanted) + 1];
  expect(value('host')).toBe(HOST);
  expect(value('x-forwarded-proto')).toBe('https');
  expect(value('x-forwarded-host')).toBe(HOST);
  const claimed = name === 'nginx' ? '203.0.113.9, ' : '';
  expect(value('x-forwarded-for')).toBe(`${claimed}${CLIENT}, 127.0.0.1`);
}

/** Fails when the proxy waits for more of the answer: the service sends one event a second. */
async function passesStreams(ports: Ports): Promise<void> {
  const sent = await open(ports, '/events?count=3&ms=1000');
  sent.end();
  const arrivals: number[] = [];
  let events = '';
  for await (const chunk of await answerOf(sent)) {
    arrivals.push(Date.now());
    events += chunk;
  }
  const times = [...events.matchAll(/data: (\d+)/g)].map(([, time]) => Number(time));
  expect(times).toHaveLength(3);
  expect((arrivals[0] as number) - (times[0] as number)).toBeLessThan(900);
}

/** Fails when the proxy limits bodies, or reads one to its end before it passes it on. */
async function passesUploads(ports: Ports): Promise<void> {
  const bytes = randomBytes(UPLOAD_BYTES);
  const sent = await open(ports, '/upload', { host: SINK, 'Content-Length': String(UPLOAD_BYTES) }, 'PUT');
  sent.write(bytes.subarray(0, FIRST_BYTES));
  await waitFor('the first part arrives', async () => {
    const asking = await open(ports, '/received', { host: SINK });
    asking.end();
    return Number(await text(await answerOf(asking))) === FIRST_BYTES;
  });
  sent.end(bytes.subarray(FIRST_BYTES));
  const answer = await answerOf(sent);
  expect([answer.statusCode, await text(answer)]).toEqual([200, createHash('sha256').update(bytes).digest('hex')]);
}

/** Fails when the proxy drops the upgrade. The service echoes frames. Frame layout: RFC 6455, section 5.2. */
async function passesWebSockets(ports: Ports): Promise<void> {
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
  const sent = await open(ports, '/', { ...headers, 'Sec-WebSocket-Key': randomBytes(16).toString('base64') });
  sent.end();
  const [answer, socket] = await once(sent, 'upgrade');
  expect(answer.statusCode).toBe(101);
  socket.write(Buffer.concat([Buffer.of(0x81, 0x82, 0, 0, 0, 0), Buffer.from('hi')]));
  const [frame] = await once(socket, 'data');
  expect(frame.subarray(2).toString()).toBe('hi');
  socket.destroy();
}
