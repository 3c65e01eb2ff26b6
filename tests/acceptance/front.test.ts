import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import type { DoctorReport } from '@berth/contract';
import { expect, it } from 'vitest';
import { createBerth, REPO, startBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { freePort } from '../harness/free-port.ts';
import { greeter, probe } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

const file = (name: string) => path.join(REPO, 'tests/fixtures/tls', name);

it('plain requests go to https for a host with a certificate, and to nothing for the others', {
  timeout: 90_000,
}, async () => {
  const [port, tlsPort] = [await freePort(), await freePort()];
  await using berth = await startBerth({
    args: ['--port', String(port)],
    env: {
      BERTH_DOMAIN: 'test',
      BERTH_PUBLIC_PORT: String(port),
      BERTH_PUBLIC_SCHEME: 'http',
      BERTH_TLS_PORT: String(tlsPort),
      BERTH_TLS_CERT: file('hello.test.crt'),
      BERTH_TLS_KEY: file('hello.test.key'),
      BERTH_HTTPS_REDIRECT: 'true',
    },
  });
  await deployed(berth, 'hello', { files: greeter('hi') });
  await deployed(berth, 'other', { files: greeter('plain') });
  const plain = (host: string, target: string) =>
    request(berth, 'hello', target, { method: 'POST', body: 'x', headers: { host } });
  const sent = await plain('hello.test', '/a?b=1');
  expect(sent.status).toBe(308);
  expect(sent.headers.location).toBe(`https://hello.test:${tlsPort}/a?b=1`);
  expect((await plain('other.test', '/')).text).toBe('plain');

  const socket = connect({ port: tlsPort, host: '127.0.0.1', servername: 'hello.test', rejectUnauthorized: false });
  socket.write('GET / HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*hi/);
  const long = connect({ port: tlsPort, host: '127.0.0.1', servername: 'hello.test', rejectUnauthorized: false });
  long.write(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n\r\n`);
  const [answer] = await once(long, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 414 /);
  long.destroy();
});

/** Starts a server whose proxies are on loopback. Answers what it printed where it refuses, and whether anything listened before. */
async function refusalOf(env: Readonly<Record<string, string>>) {
  const port = await freePort();
  const berth = createBerth({ args: ['--port', String(port)], env: { BERTH_TRUSTED_PROXIES: '127.0.0.0/8', ...env } });
  let connections = 0;
  const poll = setInterval(() => {
    const socket = connectPlain(port, '127.0.0.1', () => {
      connections++;
      socket.destroy();
    });
    socket.on('error', () => {});
  }, 5);
  try {
    return await berth.start().then(
      () => undefined,
      () => ({ output: berth.output, connections }),
    );
  } finally {
    clearInterval(poll);
    await berth.close();
  }
}

// Fails when `openMachine` does not look at the proxies, and when a port is opened before it does.
it.each(['0', '2'])(
  'a proxy on loopback is refused where a service could pose as it, with %s workers',
  {
    timeout: 90_000,
  },
  async (workers) => {
    await using berth = await startBerth();
    const { checks } = (await (await berth.api('/v1/doctor')).json()) as DoctorReport;
    const isIsolated = checks.find(({ id }) => id === 'network-isolation')?.status === 'enforced';
    const refusal = await refusalOf({ BERTH_GATEWAY_WORKERS: workers });
    if (isIsolated) expect(refusal).toBeUndefined();
    const bare = await refusalOf({
      BERTH_GATEWAY_WORKERS: workers,
      BERTH_RUNTIME: 'process',
      BERTH_NETWORKS: 'shared',
    });
    for (const found of isIsolated ? [bare] : [refusal, bare]) {
      expect(found?.output).toContain('berth: --trusted-proxies has 127.0.0.0/8, which includes 127.0.0.0');
      expect(found?.output).toContain('Run the proxy on another machine');
      expect(found?.connections).toBe(0);
    }
  },
);

it('a trusted proxy is believed about its clients, and nobody else', { timeout: 90_000 }, async () => {
  const headers = { 'X-Forwarded-For': '198.51.100.7', 'X-Forwarded-Proto': 'https' };
  const seenBy = async (trusted: string) => {
    await using berth = await startBerth({ env: { BERTH_TRUSTED_PROXIES: trusted } });
    await deployed(berth, 'probe', { files: probe() });
    const echo = (await request(berth, 'probe', '/echo', { headers })).json<{ headers: string[] }>().headers;
    const proto = echo[echo.indexOf('X-Forwarded-Proto') + 1];
    await waitFor('the request is logged', async () =>
      (await readLogs(berth, 'probe')).logs.some(({ message }) => message.startsWith('GET /echo')),
    );
    const logs = await readLogs(berth, 'probe', { query: 'httpRequest.remoteIp="198.51.100.7"' });
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_value, index) =>
        berth.post(
          '/v1/auth/sign-in/email',
          { email: 'nobody@example.com', password: 'wrong-password-1' },
          { 'X-Forwarded-For': `198.51.100.${index}`, 'X-API-Key': '' },
        ),
      ),
    );
    return { proto, logged: logs.logs.length > 0, isLimited: tries.some(({ status }) => status === 429) };
  };
  const refusal = await refusalOf({});
  // Where it is refused, `exchange.wire.test.ts` has the other half.
  if (refusal === undefined) {
    expect(await seenBy('127.0.0.0/8')).toEqual({ proto: 'https', logged: true, isLimited: false });
  }
  expect(await seenBy('203.0.113.0/24')).toEqual({ proto: 'http', logged: false, isLimited: true });
});
