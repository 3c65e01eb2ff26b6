import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { createFakeClock, type FakeClock, waitUntil } from '@berth/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCollectingLogger } from '../testing/collecting-logger.ts';
import { makeCertificate, type TestCertificate } from '../testing/make-certificate.ts';
import { type Certificates, type CertificatesOptions, createCertificates } from './create-certificates.ts';

const DAY_MS = 86_400_000;

let folder: string;
let clock: FakeClock;
let logger: ReturnType<typeof createCollectingLogger>;
const cleanups: (() => unknown)[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-certificates-'));
  clock = createFakeClock(Date.now());
  logger = createCollectingLogger();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(folder, { recursive: true });
});

async function open(options: Partial<CertificatesOptions> = {}): Promise<Certificates> {
  const certificates = await createCertificates({ files: [], clock, logger, ...options });
  cleanups.push(() => certificates.close());
  return certificates;
}

function write(name: string, { certPem, keyPem }: TestCertificate) {
  const paths = { cert: path.join(folder, `${name}.crt`), key: path.join(folder, `${name}.key`) };
  writeFileSync(paths.cert, certPem);
  writeFileSync(paths.key, keyPem);
  return paths;
}

/** Serves `certificates` and returns the port. */
async function serve(certificates: Certificates): Promise<number> {
  const server = https.createServer(certificates.tlsOptions, (_request, response) => response.end('ok'));
  certificates.attach(server);
  return listen(server);
}

async function listen(server: Server): Promise<number> {
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function handshake(port: number, servername: string | undefined, ALPNProtocols = ['http/1.1']) {
  const socket = connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    ALPNProtocols,
    ...(servername ? { servername } : {}),
  });
  cleanups.push(() => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

const namesOf = (socket: TLSSocket) => socket.getPeerCertificate().subjectaltname;

async function shownNames(port: number, servername: string | undefined): Promise<string | undefined> {
  const socket = await handshake(port, servername);
  try {
    return namesOf(socket);
  } finally {
    socket.destroy();
  }
}

test('clients get the certificate of the requested name: exact, then wildcard, then the first', async () => {
  const files = [
    write('default', await makeCertificate({ names: ['berth.example'] })),
    write('wild', await makeCertificate({ names: ['*.apps.example'] })),
    write('exact', await makeCertificate({ names: ['a.apps.example'] })),
  ];
  const port = await serve(await open({ files }));
  expect(await shownNames(port, 'a.apps.example')).toBe('DNS:a.apps.example');
  expect(await shownNames(port, 'b.apps.example')).toBe('DNS:*.apps.example');
  expect(await shownNames(port, 'b.c.apps.example')).toBe('DNS:berth.example');
  expect(await shownNames(port, undefined)).toBe('DNS:berth.example');
});

test('ALPN negotiates h2 and HTTP/1.1 on one port', async () => {
  const certificates = await open({ files: [write('one', await makeCertificate({ names: ['a.example'] }))] });
  const server = http2.createSecureServer({ ...certificates.tlsOptions, allowHTTP1: true });
  certificates.attach(server);
  const port = await listen(server);
  expect((await handshake(port, 'a.example', ['h2', 'http/1.1'])).alpnProtocol).toBe('h2');
  expect((await handshake(port, 'a.example', ['http/1.1'])).alpnProtocol).toBe('http/1.1');
});

test('TLS 1.1 is refused', async () => {
  const port = await serve(await open({ files: [write('one', await makeCertificate({ names: ['a.example'] }))] }));
  const socket = connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'ALL:@SECLEVEL=0',
  });
  await expect(once(socket, 'secureConnect')).rejects.toThrow();
});

test('a changed file applies to new handshakes; open connections continue', async () => {
  const paths = write('one', await makeCertificate({ names: ['old.example', 'a.example'] }));
  const port = await serve(await open({ files: [paths] }));
  const old = await handshake(port, 'a.example');
  write('one', await makeCertificate({ names: ['new.example', 'a.example'] }));
  clock.advance(10_000);
  await waitUntil('the new one is shown', async () => (await shownNames(port, 'a.example'))?.includes('new') ?? false);
  expect(await shownNames(port, undefined)).toContain('new.example');
  old.write('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n');
  expect(String(await once(old, 'data'))).toContain('200 OK');
  expect(namesOf(old)).toContain('old.example');
});

test('a changed link is followed, as certificate managers leave them', async () => {
  const real = write('v1', await makeCertificate({ names: ['one.example'] }));
  const paths = { cert: path.join(folder, 'link.crt'), key: path.join(folder, 'link.key') };
  symlinkSync(real.cert, paths.cert);
  symlinkSync(real.key, paths.key);
  const certificates = await open({ files: [paths] });
  const next = write('v2', await makeCertificate({ names: ['two.example'] }));
  for (const kind of ['cert', 'key'] as const) {
    rmSync(paths[kind]);
    symlinkSync(next[kind], paths[kind]);
  }
  await certificates.reload();
  expect(certificates.list().map(({ names }) => names)).toEqual([['two.example']]);
});

test('a broken new file keeps the old certificate and says why, once', async () => {
  const good = await makeCertificate({ names: ['a.example'] });
  const paths = write('one', good);
  const certificates = await open({ files: [paths] });
  const context = certificates.secureContext('a.example');
  const problems = () => logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['problem']);

  writeFileSync(paths.cert, good.certPem.slice(0, 200));
  await certificates.reload();
  await certificates.reload();
  expect(problems()).toEqual([expect.stringMatching(/one\.crt.*the certificate cannot be read/)]);

  writeFileSync(paths.cert, (await makeCertificate({ names: ['a.example'] })).certPem);
  await certificates.reload();
  expect(problems()[1]).toContain('the key does not belong to');

  rmSync(paths.key);
  await certificates.reload();
  expect(problems()[2]).toContain('ENOENT');
  expect(certificates.secureContext('a.example')).toBe(context);

  write('one', await makeCertificate({ names: ['b.example'] }));
  await certificates.reload();
  expect(certificates.list().map(({ names }) => names)).toEqual([['b.example']]);
});

test('an unusable file at startup is reported in a sentence without the key', async () => {
  const one = await makeCertificate({ names: ['a.example'] });
  const other = await makeCertificate({ names: ['a.example'] });
  const paths = write('one', { certPem: one.certPem, keyPem: other.keyPem });
  await expect(open({ files: [paths] })).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('one.key'),
  });
  writeFileSync(paths.key, one.keyPem.slice(0, 100));
  const error = await open({ files: [paths] }).then(undefined, (thrown: Error) => thrown);
  expect((error as Error).message).toContain('the key cannot be read');
  expect((error as Error).message).not.toContain(one.keyPem.slice(40, 80));
  writeFileSync(paths.key, one.keyPem.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'));
  await expect(open({ files: [paths] })).rejects.toThrow('encrypted');
});

test('added certificates are served at once, in private files, and survive a restart', async () => {
  const store = path.join(folder, 'store');
  const certificates = await open({ folder: store });
  const port = await serve(certificates);
  const one = await makeCertificate({ names: ['a.example'] });
  await certificates.add({ name: 'a.example', ...one, source: 'https://acme.example/directory' });
  expect(await shownNames(port, 'a.example')).toBe('DNS:a.example');
  expect(statSync(store).mode & 0o777).toBe(0o700);
  expect(readdirSync(store)).toEqual(['a.example.pem']);
  expect(statSync(path.join(store, 'a.example.pem')).mode & 0o777).toBe(0o600);

  const again = await open({ folder: store });
  expect(again.find('a.example')).toEqual(certificates.find('a.example'));
  expect(again.find('a.example')?.stored).toEqual({ name: 'a.example', source: 'https://acme.example/directory' });
  await again.remove('a.example');
  expect([again.find('a.example'), readdirSync(store)]).toEqual([undefined, []]);
});

test('a reload picks up certificates that another process adds, renews or removes', async () => {
  const store = path.join(folder, 'store');
  const writer = await open({ folder: store });
  const reader = await open({ folder: store });
  const port = await serve(reader);
  await writer.add({ name: 'a.example', ...(await makeCertificate({ names: ['a.example'] })) });
  await reader.reload();
  expect(await shownNames(port, 'a.example')).toBe('DNS:a.example');
  await writer.add({ name: 'a.example', ...(await makeCertificate({ names: ['a.example'] })) });
  expect(reader.find('a.example')).not.toEqual(writer.find('a.example'));
  await reader.reload();
  expect(reader.find('a.example')).toEqual(writer.find('a.example'));
  await writer.remove('a.example');
  await reader.reload();
  expect(reader.list()).toEqual([]);
});

test('a certificate for another name or an invalid name is not added', async () => {
  const store = path.join(folder, 'store');
  const certificates = await open({ folder: store });
  const one = await makeCertificate({ names: ['a.example'] });
  await expect(certificates.add({ name: 'b.example', ...one })).rejects.toThrow('is for a.example, not for b.example');
  for (const name of ['../a.example', '', '*.example', 'a.example/../../x', '.']) {
    await expect(certificates.add({ name, ...one })).rejects.toMatchObject({ code: 'invalid' });
  }
  await expect(certificates.add({ name: 'a.example', ...one, source: 'x\n# source: y' })).rejects.toThrow('one line');
  expect(readdirSync(store)).toEqual([]);
  await expect((await open()).add({ name: 'a.example', ...one })).rejects.toMatchObject({ code: 'unavailable' });
});

test('a truncated file in the folder is skipped and logged; a long-expired one is removed', async () => {
  const store = path.join(folder, 'store');
  const certificates = await open({ folder: store });
  await certificates.add({ name: 'a.example', ...(await makeCertificate({ names: ['a.example'] })) });
  await certificates.add({ name: 'b.example', ...(await makeCertificate({ names: ['b.example'] })) });
  const old = { notBeforeMs: clock.nowMs() - 90 * DAY_MS, notAfterMs: clock.nowMs() - 31 * DAY_MS };
  await certificates.add({ name: 'old.example', ...(await makeCertificate({ names: ['old.example'], ...old })) });
  const file = path.join(store, 'a.example.pem');
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 300));
  writeFileSync(path.join(store, 'b.example.pem.tmp'), 'left by a crash');

  const again = await open({ folder: store });
  expect(again.list().map(({ names }) => names)).toEqual([['b.example']]);
  expect(logger.lines).toContainEqual(
    expect.objectContaining({ level: 'error', fields: expect.objectContaining({ file }) }),
  );
  expect(readdirSync(store)).toContain('a.example.pem');
  expect(readdirSync(store)).not.toContain('old.example.pem');
});

test("without files the default is the platform's own name or none, never a tenant's name", async () => {
  const store = path.join(folder, 'store');
  const certificates = await open({ folder: store, defaultName: 'api.berth.example' });
  const port = await serve(certificates);
  await certificates.add({ name: 'tenant.example', ...(await makeCertificate({ names: ['tenant.example'] })) });
  await expect(handshake(port, 'unknown.example')).rejects.toThrow();
  await expect(handshake(port, undefined)).rejects.toThrow();
  await certificates.add({ name: 'api.berth.example', ...(await makeCertificate({ names: ['api.berth.example'] })) });
  expect(await shownNames(port, 'unknown.example')).toBe('DNS:api.berth.example');
  expect(await shownNames(port, undefined)).toBe('DNS:api.berth.example');
});

test('the expiry of a certificate is logged once a day until it is replaced', async () => {
  const ending = {
    names: ['a.example'],
    notBeforeMs: clock.nowMs() - 80 * DAY_MS,
    notAfterMs: clock.nowMs() + 10 * DAY_MS,
  };
  const paths = write('one', await makeCertificate(ending));
  const certificates = await open({ files: [paths] });
  const warnings = () => logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  await certificates.reload();
  expect(warnings()).toEqual([expect.stringContaining('expires on')]);
  clock.advance(DAY_MS);
  await certificates.reload();
  expect(warnings()).toHaveLength(2);
  write('one', await makeCertificate({ names: ['a.example'], notAfterMs: clock.nowMs() + 90 * DAY_MS }));
  await certificates.reload();
  clock.advance(DAY_MS);
  await certificates.reload();
  expect(warnings()).toHaveLength(2);
});
