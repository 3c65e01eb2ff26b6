import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../config/read-config.ts';
import type { PartOptions } from '../context/part-options.ts';
import { createShutdown } from '../context/shutdown.ts';
import { chooseRuntime } from './choose-runtime.ts';
import { openMachine } from './open-machine.ts';

let dataFolder = '';
beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'berth-choose-'));
});
afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));

const BASE_IMAGES = 'node=n,python=p,go=g,plain=d';

function optionsOf(flags: Readonly<Record<string, string>>, dockerHost: string): PartOptions {
  const reading = readConfig({
    flags: { data: dataFolder, 'base-images': BASE_IMAGES, ...flags },
    environment: {},
    workingFolder: '/',
  });
  if ('faults' in reading) throw new Error(reading.faults.join('; '));
  const logger = createSilentLogger();
  return {
    config: reading.config,
    version: '0',
    logger,
    environment: { DOCKER_HOST: dockerHost },
    clock: createSystemClock(),
    ids: createIdSource(),
    shutdown: createShutdown(logger),
  };
}

async function choose(flags: Readonly<Record<string, string>>, dockerHost = '/nowhere/docker.sock') {
  const { kind } = await chooseRuntime(optionsOf(flags, dockerHost));
  return kind;
}

/** An engine that has `images`. Its socket is in the data folder. */
async function serveEngine(...images: string[]): Promise<{ readonly socket: string } & AsyncDisposable> {
  const socket = path.join(dataFolder, 'docker.sock');
  const server = createServer(({ url = '' }, response) => {
    const image = /\/images\/(\w+)\/json/.exec(url)?.[1];
    response.statusCode = image === undefined || images.includes(image) ? 200 : 404;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(url.endsWith('/version') ? { ApiVersion: '1.41' } : { OSType: 'linux' }));
  }).listen(socket);
  await once(server, 'listening');
  return { socket, [Symbol.asyncDispose]: async () => void server.close() };
}

test('a machine without an engine runs processes', async () => {
  expect(await choose({})).toBe('process');
  expect(readFileSync(path.join(dataFolder, 'runtime-kind'), 'utf8')).toBe('process\n');
});

test('a fresh data folder gets containers where an engine has every base image', async () => {
  await using engine = await serveEngine('n', 'p', 'g', 'd');
  expect(await choose({}, engine.socket)).toBe('docker');
});

test('an engine that lacks one is not enough', async () => {
  await using engine = await serveEngine('n', 'p', 'g');
  expect(await choose({}, engine.socket)).toBe('process');
});

test('what a data folder was used with stays', async () => {
  await using engine = await serveEngine('n', 'p', 'g', 'd');
  expect(await choose({ runtime: 'process' }, engine.socket)).toBe('process');
  expect(await choose({}, engine.socket)).toBe('process');
  expect(await choose({ runtime: 'docker' }, engine.socket)).toBe('docker');
  expect(await choose({}, engine.socket)).toBe('docker');
  // Nothing is started on the wrong runtime because the engine is away for a moment.
  await expect(choose({})).rejects.toMatchObject({ code: 'unavailable' });
  expect(await choose({ runtime: 'process' })).toBe('process');
});

test('a data folder that is older than the question was used with processes', async () => {
  mkdirSync(path.join(dataFolder, 'runtime/running'), { recursive: true });
  await using engine = await serveEngine('n', 'p', 'g', 'd');
  expect(await choose({}, engine.socket)).toBe('process');
});

// Fails when a copy is started on the engine of its original: both have one master key, and so one name for their containers.
test('a copied data folder is refused on an engine', async () => {
  await using engine = await serveEngine();
  const origin = { kind: 'copied', workRoot: undefined, wasOutside: false } as const;
  await expect(
    openMachine({ ...optionsOf({ runtime: 'docker' }, engine.socket), origin, serverId: 'a' }),
  ).rejects.toThrow("can't distinguish the containers of the two");
});
