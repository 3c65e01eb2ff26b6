import { createHash, randomBytes } from 'node:crypto';
import type { SignedUrl } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { createAccount } from '../harness/accounts.ts';
import { deploy, deployed } from '../harness/deploy.ts';
import { expectError, expectIssues, placesOf } from '../harness/error-body.ts';
import { archiveOfSize } from '../harness/exact-archive.ts';
import { uniqueName } from '../harness/names.ts';
import { needsEnforced } from '../harness/needs.ts';
import { greeter, probe } from '../harness/project-files.ts';
import { openRawConnection } from '../harness/raw-connection.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { volumeClient } from '../harness/volumes.ts';

const berth = useBerth();
const newVolume = async () => {
  const volume = volumeClient(berth, uniqueName('vol'));
  await volume.create();
  return volume;
};

/** What the probe answers when it is asked to touch a file. */
interface Attempt {
  readonly ok: boolean;
  readonly value?: unknown;
  readonly code?: string;
}
const attempt = async (name: string, route: 'read' | 'write' | 'list', path: string, text = '') =>
  (await request(berth, name, `/${route}?${new URLSearchParams({ path, text })}`)).json<Attempt>();

describe('a volume', () => {
  it('is created once, listed, deleted and restored', async () => {
    verifies('volume.create', 'volume.list', 'volume.restore');
    const name = uniqueName('vol');
    const create = async () => (await berth.post('/v1/volume/create', { name })).json();
    expect(await create()).toEqual({ name, created: true });
    expect(await create()).toEqual({ name, created: false });
    const volume = volumeClient(berth, name);
    await volume.put('a', '12345');
    expect(await volume.row()).toEqual({
      name,
      attached_to: [],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      size_bytes: 5,
      object_count: 1,
    });
    expect((await berth.post('/v1/volume/delete', { name })).status).toBe(200);
    expect(await volume.row()).toBeUndefined();
    expect(await volume.get('a')).toBeUndefined();
    await volume.create();
    await expectError(await berth.post('/v1/volume/restore', { name }), 409);
    await berth.post('/v1/volume/delete', { name });
    await expectError(await berth.post('/v1/volume/restore', { name: uniqueName('never') }), 404);
  });

  it('comes back with its objects, also after a restart', async () => {
    const volume = await newVolume();
    await volume.put('dir/a', 'kept');
    await berth.post('/v1/volume/delete', { name: volume.name });
    await berth.stop();
    await berth.start();
    expect((await berth.post('/v1/volume/restore', { name: volume.name })).status).toBe(200);
    expect(await volume.get('dir/a')).toBe('kept');
  });

  it('of another account is not there, whatever is asked of it', async () => {
    verifies('volume.per-account');
    const volume = await newVolume();
    await volume.put('secret', 'mine');
    const headers = { 'X-API-Key': (await createAccount(berth, uniqueName('other'))).key };
    const { name } = volume;
    for (const [route, body] of [
      ['upload', { volume: name, object: 'x' }],
      ['download', { volume: name, object: 'secret' }],
      ['delete-object', { volume: name, path: 'secret' }],
      ['delete', { name }],
      ['restore', { name }],
    ] as const) {
      await expectError(await berth.post(`/v1/volume/${route}`, body, headers), 404);
    }
    await expectError(await berth.api(`/v1/volume/objects?volume=${name}`, { headers }), 404);
    const own = await berth.post('/v1/volume/create', { name }, headers);
    expect(await own.json()).toEqual({ name, created: true });
    expect(await volume.get('secret')).toBe('mine');
  });
});

describe('objects', () => {
  it('go in and out by signed URLs, without a credential', async () => {
    verifies('object.upload', 'object.download', 'object.delete', 'object.get');
    const volume = await newVolume();
    const upload = await berth.post('/v1/volume/upload', { volume: volume.name, path: 'dir/a b.txt' });
    const signed = (await upload.json()) as SignedUrl;
    expect(Object.keys(signed).sort()).toEqual(['expires_at', 'method', 'url']);
    expect(signed.method).toBe('PUT');
    const inMinutes = (Date.parse(signed.expires_at) - Date.now()) / 60_000;
    expect(inMinutes).toBeGreaterThan(13);
    expect(inMinutes).toBeLessThan(16);
    expect(new URL(signed.url).port).not.toBe(String(berth.port));
    const bytes = randomBytes(3_000_000);
    expect((await fetch(signed.url, { method: 'PUT', body: bytes })).status).toBe(200);

    const download = await berth.post('/v1/volume/download', { volume: volume.name, object: 'dir/a b.txt' });
    const { url, method } = (await download.json()) as SignedUrl;
    expect(method).toBe('GET');
    const whole = await fetch(url);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    expect(whole.headers.get('content-length')).toBe('3000000');
    const etag = whole.headers.get('etag') ?? '';
    expect((await fetch(url, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
    const part = await fetch(url, { headers: { Range: 'bytes=-10' } });
    expect([part.status, Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(-10))]).toEqual([206, true]);

    await expectError(await berth.post('/v1/volume/download', { volume: volume.name, object: 'missing' }), 404);
    const remove = () => berth.post('/v1/volume/delete-object', { volume: volume.name, path: 'dir/a b.txt' });
    expect((await remove()).status).toBe(200);
    await expectError(await remove(), 404);
    expect((await fetch(url)).status).toBe(404);
  });

  it('are listed sorted, in pages and by prefix', async () => {
    verifies('object.list');
    const volume = await newVolume();
    const paths = ['a', 'b-c', 'b/1', 'b/2', 'b0', 'é'];
    for (const path of [...paths].reverse()) await volume.put(path, path);
    const list = async (query: string) =>
      (await (await berth.api(`/v1/volume/objects?volume=${volume.name}${query}`)).json()) as {
        objects: { path: string; size: number; updated: string }[];
        next_page_token: string | null;
      };
    const seen: string[] = [];
    for (let token = ''; ; ) {
      const page = await list(`&limit=2${token && `&page_token=${encodeURIComponent(token)}`}`);
      expect(page.objects.length).toBeLessThanOrEqual(2);
      seen.push(...page.objects.map(({ path }) => path));
      if (page.next_page_token === null) break;
      token = page.next_page_token;
    }
    expect(seen).toEqual(paths);
    const { objects } = await list('&prefix=b/');
    expect(objects).toEqual([
      { path: 'b/1', size: 3, updated: expect.stringMatching(/Z$/) },
      { path: 'b/2', size: 3, updated: expect.stringMatching(/Z$/) },
    ]);
    for (const limit of ['0', '1001', 'x']) {
      expect(
        placesOf(await expectIssues(await berth.api(`/v1/volume/objects?volume=${volume.name}&limit=${limit}`))),
      ).toEqual(['query.limit']);
    }
  });

  it('are put into volumes that are there, and make none', async () => {
    verifies('object.upload-unknown');
    const name = uniqueName('absent');
    await expectError(await berth.post('/v1/volume/upload', { volume: name, object: 'x' }), 404);
    expect(await volumeClient(berth, name).row()).toBeUndefined();
  });

  it('have paths that lead nowhere but down', async () => {
    verifies('object.path');
    const volume = await newVolume();
    for (const object of ['', '..', '../x', 'a/../x', 'a/./x', 'a//x', 'x/', 'x\0', 'x'.repeat(1_025)]) {
      const answer = await berth.post('/v1/volume/upload', { volume: volume.name, object });
      expect([object, placesOf(await expectIssues(answer))]).toEqual([object, ['body.object']]);
    }
    await volume.put('/led/by/a/slash', 'x');
    expect(await volume.paths()).toEqual(['led/by/a/slash']);
  });

  it('are not reached with a URL that was changed, over whatever socket', async () => {
    verifies('object.signed');
    const volume = await newVolume();
    const other = await newVolume();
    await volume.put('a', 'secret');
    const good = new URL(await volume.sign('download', 'a'));
    const put = new URL(await volume.sign('upload', 'a'));
    const [, , , account = '', storage = ''] = good.pathname.split('/');
    const otherStorage = new URL(await other.sign('upload', 'a')).pathname.split('/')[4] ?? '';
    const targets = [
      `GET ${put.pathname}${put.search}`,
      `PUT ${good.pathname}${good.search}`,
      `GET ${good.pathname}b${good.search}`,
      `GET ${good.pathname}`,
      `GET ${good.pathname.replace(storage, otherStorage)}${good.search}`,
      `GET ${good.pathname.replace(account, 'acc_other')}${good.search}`,
      `GET ${good.pathname}${good.search.replace(/expires=\d+/, 'expires=99999999999')}`,
      `GET /v1/objects/${account}/${storage}/../${storage}/a${good.search}`,
      `GET /v1/objects/${account}/${storage}/..%2f..%2f..%2fapi-key${good.search}`,
      `GET /v1/objects/${account}/${storage}/../../../../api-key${good.search}`,
    ];
    for (const target of targets) {
      using connection = await openRawConnection(Number(good.port));
      await connection.send(`${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      const answer = await connection.receiveAll();
      expect([target, answer.slice(9, 12), answer.includes('secret')]).toEqual([target, '403', false]);
    }
    expect(await volume.get('a')).toBe('secret');
    expect(berth.output).not.toContain(new URLSearchParams(good.search).get('signature'));
  });

  it('that broke off on their way in leave nothing', async () => {
    verifies('object.whole');
    const volume = await newVolume();
    await volume.put('a', 'before');
    const url = new URL(await volume.sign('upload', 'a'));
    {
      using connection = await openRawConnection(Number(url.port));
      await connection.send(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`);
      await connection.send(Buffer.alloc(990_000));
    }
    // Whatever the server still does with it, it is done when it has stopped.
    await berth.stop();
    await berth.start();
    expect(await volume.get('a')).toBe('before');
    expect(await volume.row()).toMatchObject({ object_count: 1, size_bytes: 6 });
  });

  it('are whole or not there after kill -9 in the middle', async () => {
    const volume = await newVolume();
    await volume.put('done', 'kept');
    const url = new URL(await volume.sign('upload', 'half'));
    using connection = await openRawConnection(Number(url.port));
    await connection.send(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n`);
    await connection.send(Buffer.alloc(4_000_000));
    await berth.kill9();
    await berth.start();
    expect(await volume.paths()).toEqual(['done']);
    expect(await volume.get('done')).toBe('kept');
  });
});

describe('the public port', () => {
  it('serves signed URLs too, at storage.<domain>', async () => {
    const volume = await newVolume();
    const serve = (url: string, options: { method?: string; body?: string } = {}) => {
      const { pathname, search } = new URL(url);
      return request(berth, 'storage', pathname + search, options);
    };
    const put = await serve(await volume.sign('upload', 'a'), { method: 'PUT', body: 'over the front' });
    expect([put.status, await volume.get('a')]).toEqual([200, 'over the front']);
    expect((await serve(await volume.sign('download', 'a'))).text).toBe('over the front');
    expect((await serve('http://x/v1/volume/list')).status).toBe(404);
  });
});

describe('a mounted volume', () => {
  it('holds the same bytes as its objects, both ways, within a second', async () => {
    verifies('volume.mount', 'volume.delete');
    const [name, volume] = [uniqueName('mounting'), volumeClient(berth, uniqueName('vol'))];
    const mountPath = `/mnt/${name}`;
    const { events } = await deployed(berth, name, {
      files: probe(),
      fields: { volumes: JSON.stringify({ [mountPath]: volume.name }) },
    });
    expect(events.map(({ message }) => message).join('\n')).toContain(`Volume created: ${volume.name}`);
    expect(await attempt(name, 'write', `${mountPath}/by-service.txt`, 'from inside')).toMatchObject({ ok: true });
    expect(await volume.get('by-service.txt')).toBe('from inside');
    await volume.put('deep/by-client.txt', 'from outside');
    expect(await attempt(name, 'read', `${mountPath}/deep/by-client.txt`)).toMatchObject({
      ok: true,
      value: 'from outside',
    });
    // What a client put belongs to the service, too, and the other way.
    expect(await attempt(name, 'write', `${mountPath}/deep/by-client.txt`, 'changed inside')).toMatchObject({
      ok: true,
    });
    expect(await volume.get('deep/by-client.txt')).toBe('changed inside');
    expect(await attempt(name, 'write', `${mountPath}/deep/beside.txt`, 'x')).toMatchObject({ ok: true });
    expect((await volume.put('by-service.txt', 'changed outside')).status).toBe(200);
    expect(await attempt(name, 'read', `${mountPath}/by-service.txt`)).toMatchObject({ value: 'changed outside' });
    expect(await volume.row()).toMatchObject({ attached_to: [name], object_count: 3 });

    const refused = await berth.post('/v1/volume/delete', { name: volume.name });
    expect(await expectError(refused, 409)).toContain(`"${name}"`);
    await berth.post('/v1/deployment/delete', { name });
    expect(await volume.row()).toMatchObject({ attached_to: [] });
    expect((await berth.post('/v1/volume/delete', { name: volume.name })).status).toBe(200);
  });

  it('is shared by two deployments, and let go by a deploy without it', async () => {
    verifies('volume.mount-shared', 'volume.detach');
    const volume = await newVolume();
    const names = [uniqueName('one'), uniqueName('two')] as const;
    await volume.put('dir/first', 'by a client');
    for (const name of names) {
      const volumes = JSON.stringify({ [`/mnt/${name}`]: volume.name });
      await deployed(berth, name, { files: probe(), fields: { volumes } });
    }
    const [one, two] = names;
    expect(await attempt(one, 'write', `/mnt/${one}/dir/shared`, 'by one')).toMatchObject({ ok: true });
    expect(await attempt(two, 'read', `/mnt/${two}/dir/shared`)).toMatchObject({ value: 'by one' });
    expect(await attempt(two, 'write', `/mnt/${two}/dir/shared`, 'by two')).toMatchObject({ ok: true });
    expect(await attempt(one, 'read', `/mnt/${one}/dir/shared`)).toMatchObject({ value: 'by two' });
    expect((await volume.row())?.attached_to).toEqual([...names].sort());
    await deployed(berth, one, { files: probe() });
    expect((await volume.row())?.attached_to).toEqual([two]);
    expect(await attempt(one, 'read', `/mnt/${one}/dir/shared`)).toMatchObject({ ok: false });
    expect(await volume.get('dir/shared')).toBe('by two');
  });

  it('that is read-only cannot be written, and a sub_path is all there is', async (context) => {
    verifies('volume.read-only', 'volume.sub-path');
    await needsEnforced(context, berth, 'sandbox');
    const volume = await newVolume();
    await volume.put('top-secret', 'above');
    await volume.put('inner/a', 'inside');
    const name = uniqueName('bounded');
    const volumes = JSON.stringify({
      '/mnt/ro': { name: volume.name, read_only: true },
      '/mnt/sub': { name: volume.name, sub_path: 'inner' },
      '/mnt/made': { name: volume.name, sub_path: 'not/there/yet' },
    });
    await deployed(berth, name, { files: probe(), fields: { volumes } });
    expect(await attempt(name, 'read', '/mnt/ro/inner/a')).toMatchObject({ ok: true });
    for (const path of ['/mnt/ro/new', '/mnt/ro/inner/a', '/mnt/ro/inner/new']) {
      expect([path, (await attempt(name, 'write', path, 'x')).ok]).toEqual([path, false]);
    }
    expect(await attempt(name, 'list', '/mnt/sub')).toMatchObject({ value: ['a'] });
    for (const path of ['/mnt/sub/../top-secret', '/mnt/sub/../../top-secret', '/mnt/sub/../ro/../../top-secret']) {
      expect([path, (await attempt(name, 'read', path)).ok]).toEqual([path, false]);
    }
    expect(await attempt(name, 'write', '/mnt/made/x', 'made')).toMatchObject({ ok: true });
    expect(await volume.get('not/there/yet/x')).toBe('made');
    expect(await volume.get('inner/a')).toBe('inside');
  });

  it('can have links in it that lead nowhere', async (context) => {
    await needsEnforced(context, berth, 'sandbox');
    const volume = await newVolume();
    const name = uniqueName('linking');
    const source = `
      import { symlinkSync, rmSync } from 'node:fs';
      import { createServer } from 'node:http';
      symlinkSync('/', '/mnt/v/root');
      symlinkSync('/etc/passwd', '/mnt/v/passwd');
      symlinkSync('..', '/mnt/v/up');
      createServer((request, response) => response.end('linked')).listen(process.env.PORT);
    `;
    const files = { 'package.json': '{"type":"module","scripts":{"start":"node server.js"}}', 'server.js': source };
    await deployed(berth, name, { files, fields: { volumes: JSON.stringify({ '/mnt/v': volume.name }) } });
    await request(berth, name);
    for (const path of ['passwd', 'root/etc/passwd', 'up/x'])
      expect([path, await volume.get(path)]).toEqual([path, undefined]);
    for (const path of ['root/tmp/planted', 'up/planted']) {
      expect([path, (await volume.put(path, 'x')).status]).toEqual([path, 409]);
    }
    expect(await volume.paths()).toEqual([]);
    const mount = JSON.stringify({ '/mnt/v': { name: volume.name, sub_path: 'root/tmp' } });
    const { last } = await deploy(berth, uniqueName('climbing'), { files, fields: { volumes: mount } });
    expect(last).toMatchObject({ status: 'ERROR' });
  });
});

describe('an archive in a volume', () => {
  it('is deployed, however large', async () => {
    verifies('form.source-object-deploy');
    const volume = await newVolume();
    const archive = archiveOfSize(greeter('from a volume'), 101 * 1024 * 1024);
    const put = await fetch(await volume.sign('upload', 'builds/app.tar.gz'), {
      method: 'PUT',
      body: new Uint8Array(archive),
      headers: { 'x-amz-checksum-sha256': createHash('sha256').update(archive).digest('base64') },
    });
    expect(put.status).toBe(200);
    const name = uniqueName('from-volume');
    await deployed(berth, name, { fields: { source_object: `${volume.name}/builds/app.tar.gz` } });
    expect((await request(berth, name)).text).toBe('from a volume');
    expect(await volume.paths()).toEqual(['builds/app.tar.gz']);
  });
});
