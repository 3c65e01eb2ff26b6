import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { chooseApiVersion } from './api-version.ts';
import { openEngine, parseEngineAddress } from './open-engine.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-engine-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const VERSION = { Version: '20.10.24', Arch: 'amd64', ApiVersion: '1.41', MinAPIVersion: '1.12' };
const INFO = {
  OSType: 'linux',
  CgroupVersion: '2',
  Driver: 'overlay2',
  DockerRootDir: '/var/lib/docker',
  SecurityOptions: ['name=seccomp,profile=default'],
  InitBinary: 'docker-init',
  Runtimes: { runc: {}, runsc: {} },
};

/** An engine that answers /version and /info. */
async function serve(version: object, info: object = INFO): Promise<{ readonly address: string } & AsyncDisposable> {
  const socket = path.join(folder, `${crypto.randomUUID().slice(0, 8)}.sock`);
  const answer: RequestListener = (request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(request.url?.endsWith('/version') ? version : info));
  };
  const server = createServer(answer).listen(socket);
  await once(server, 'listening');
  return { address: `unix://${socket}`, [Symbol.asyncDispose]: async () => void server.close() };
}

const open = (address: string) => openEngine(parseEngineAddress(address));

test('an engine says what it is', async () => {
  await using engine = await serve(VERSION);
  expect((await open(engine.address)).facts).toEqual({
    ...{ product: 'Docker', version: '20.10.24', apiVersion: '1.41', platform: 'linux/amd64', cgroupVersion: 2 },
    ...{ storageDriver: 'overlay2', rootFolder: '/var/lib/docker', hasInit: true, hasSyscallFilter: true },
    ociRuntimes: ['runc', 'runsc'],
  });
});

test('Podman is known as such', async () => {
  await using engine = await serve({ ...VERSION, Components: [{ Name: 'Podman Engine' }] });
  expect((await open(engine.address)).facts.product).toBe('Podman');
});

test.each([
  ['one that is too old', { ...VERSION, ApiVersion: '1.40' }, INFO, 'is too old: Berth needs API 1.41'],
  ['one that is too new', { ...VERSION, ApiVersion: '2.3', MinAPIVersion: '2.0' }, INFO, 'speaks only API 2.0'],
  ['a rootless one', VERSION, { ...INFO, SecurityOptions: ['name=rootless'] }, 'is rootless'],
  ['one of Windows', VERSION, { ...INFO, OSType: 'windows' }, 'runs windows containers'],
])('%s is refused, saying why', async (_what, version, info, message) => {
  await using engine = await serve(version, info);
  await expect(open(engine.address)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(message),
  });
});

test('where nobody listens, it is said what to do', async () => {
  await expect(open(path.join(folder, 'nobody.sock'))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/No Docker engine responds at unix:.*Start it/),
  });
});

test('an engine of another machine is refused', () => {
  expect(() => parseEngineAddress('tcp://10.0.0.1:2375')).toThrow('must be on this machine');
  expect(parseEngineAddress(undefined).socketPath).toBe('/var/run/docker.sock');
});

test('a newer engine is spoken to in a version that is known', () => {
  expect(chooseApiVersion({ ApiVersion: '1.99', MinAPIVersion: '1.44' }, '')).toBe('1.50');
});
