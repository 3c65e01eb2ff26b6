import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Berth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { nodeProject } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { lacksServers, type Servers, startServers } from '../harness/servers.ts';
import { volumeClient } from '../harness/volumes.ts';
import { waitFor } from '../harness/wait-for.ts';

const lacking = lacksServers();
if (lacking !== undefined && process.env['CI'] === 'true')
  throw new Error(`CI must have everything, and this ${lacking}`);

/** Appends the path of each request to a file in its volume, and answers with the file. */
const NOTES = nodeProject(`import { createServer } from 'node:http';
  import { appendFileSync, readFileSync } from 'node:fs';
  createServer((request, response) => {
    if (request.url !== '/') appendFileSync('/data/notes', request.url);
    response.end(readFileSync('/data/notes', 'utf8'));
  }).listen(process.env.PORT, '0.0.0.0');`);

describe.skipIf(lacking !== undefined)(lacking ? `a shared folder: ${lacking}` : 'a shared folder', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-shared-'));
  let servers: Servers;
  let one: Berth;
  let other: Berth;

  beforeAll(async () => {
    chmodSync(folder, 0o711);
    const env = { BERTH_S3_BUCKET: '', BERTH_SHARED_FOLDER: folder, BERTH_GATEWAY_WORKERS: '1' };
    servers = await startServers({ count: 2, env });
    [one, other] = servers.all as [Berth, Berth];
  });
  afterAll(async () => {
    await servers?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  // Fails when the control process doesn't fetch for the process that starts instances, and when each server gives the
  // account a group of its own: the second start would take the volume from the service of the first server.
  it('has the volumes that services of both servers write, and the build results that either starts', async () => {
    const [name, volume] = [uniqueName('notes'), uniqueName('vol')];
    await volumeClient(one, volume).create();
    await volumeClient(one, volume).put('notes', 'begin');
    await deployed(one, name, { files: NOTES, fields: { volumes: JSON.stringify({ '/data': volume }) } });
    expect((await request(one, name, '/one')).text).toBe('begin/one');
    await waitFor('the other serves it', async () => (await request(other, name)).text === 'begin/one');
    expect((await request(other, name, '/two')).text).toBe('begin/one/two');
    expect((await request(one, name, '/three')).text).toBe('begin/one/two/three');
    expect(await volumeClient(other, volume).get('notes')).toBe('begin/one/two/three');
    const builds = path.join(folder, 'objects/builds');
    expect(readdirSync(path.join(builds, 'artifacts'), { recursive: true }).join()).toMatch(
      new RegExp(`${name}/.*zst`),
    );
    expect(readdirSync(path.join(builds, 'archives'))).toEqual([]);

    expect((await other.post('/v1/deployment/delete', { name })).status).toBe(200);
    await waitFor('its objects are gone', async () => {
      const left = readdirSync(path.join(builds, 'artifacts'), { recursive: true });
      return left.every((file) => !String(file).endsWith('.zst'));
    });
  });
});
