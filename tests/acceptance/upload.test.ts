import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deploy, deployed, postDeploy, readDeployStream } from '../harness/deploy.ts';
import { expectError, expectIssues, placesOf } from '../harness/error-body.ts';
import { archiveOfSize } from '../harness/exact-archive.ts';
import { folderBytes } from '../harness/folder-bytes.ts';
import { BOUNDARY, encodePart, type FormPart, multipart } from '../harness/multipart.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { greeter } from '../harness/project-files.ts';
import { openRawConnection } from '../harness/raw-connection.ts';
import { request } from '../harness/request.ts';
import { packProject } from '../harness/tar.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Source: docs/contract/control-plane.md §2. */
const ARCHIVE_CAP_BYTES = 104_857_600;

const berth = useBerth();
const archive = packProject(greeter('hello'));

const send = (body: Buffer, type = `multipart/form-data; boundary=${BOUNDARY}`): Promise<Response> =>
  berth.api('/v1/deploy', { method: 'POST', headers: { 'Content-Type': type }, body: new Uint8Array(body) });

const formFor = (name: string): FormPart[] => [
  { name: 'function_name', body: name },
  { name: 'volumes', body: '{}' },
  { name: 'source_archive.0', body: archive, filename: 'a.tar.gz' },
];

describe('the form', () => {
  it('may have its fields in any order, and fields that nobody knows', async () => {
    verifies('form.order', 'fields.unknown-body');
    const name = uniqueName('order');
    const parts = [...formFor(name).reverse(), { name: 'colour', body: 'red' }];
    const { last } = await readDeployStream(await send(multipart(parts))).finish();
    expect(last.status).toBe('DONE');
    expect((await request(berth, name)).text).toBe('hello');
  });

  it('may name its archive source_archive', async () => {
    verifies('form.archive');
    const name = uniqueName('alias');
    const parts = formFor(name).map((part) => ({ ...part, name: part.name.replace('.0', '') }));
    expect((await readDeployStream(await send(multipart(parts))).finish()).last.status).toBe('DONE');
  });

  it('with an empty archive is 422 at the archive', async () => {
    const answer = await postDeploy(berth, 'empty', { archive: Buffer.alloc(0) });
    expect(placesOf(await expectIssues(answer))).toEqual(['body.source_archive.0']);
  });

  it('that is cut off or has no boundary is refused, and the server lives', async () => {
    const whole = multipart(formFor('cut'));
    const cut = await send(whole.subarray(0, whole.length - 40));
    expect(cut.status).toBeGreaterThanOrEqual(400);
    expect(cut.status).toBeLessThan(500);
    const unbounded = await send(whole, 'multipart/form-data');
    expect(unbounded.status).toBeGreaterThanOrEqual(400);
    expect(unbounded.status).toBeLessThan(500);
    await expectError(await send(whole, 'application/x-www-form-urlencoded'), 415);
    expect((await berth.api('/v1/deployment/cut')).status).toBe(404);
  });

  it('is accepted from curl', async (context) => {
    await needs(context, 'curl');
    const name = uniqueName('curl');
    const folder = mkdtempSync(path.join(tmpdir(), 'berth-curl-'));
    const file = path.join(folder, 'app.tar.gz');
    writeFileSync(file, archive);
    const words = ['-sS', '-N', '-H', `Authorization: Bearer ${berth.key}`, `${berth.url}/v1/deploy`];
    const form = ['-F', `function_name=${name}`, '-F', 'volumes={}', '-F', `source_archive.0=@${file}`];
    const { stdout } = spawnSync('curl', [...words, ...form], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ status: 'DONE', url: `http://${name}.localhost:${berth.port}` });
    expect((await request(berth, name)).text).toBe('hello');
  });
});

describe('the size of the archive', () => {
  it('may be exactly 100 MiB', async () => {
    verifies('form.archive-cap');
    const name = uniqueName('full');
    const { last } = await deployed(berth, name, { archive: archiveOfSize(greeter('full'), ARCHIVE_CAP_BYTES) });
    expect(last.url).toContain(name);
    expect((await request(berth, name)).text).toBe('full');
  });

  it('may not be one byte more', async () => {
    verifies('form.archive-cap', 'form.before-stream');
    const tooLarge = archiveOfSize(greeter('full'), ARCHIVE_CAP_BYTES + 1);
    const answer = await postDeploy(berth, 'one-more', { archive: tooLarge });
    expect(placesOf(await expectIssues(answer))).toEqual(['body.source_archive.0']);
    expect((await berth.api('/v1/deployment/one-more')).status).toBe(404);
  });

  it('is refused as soon as it is passed, without the rest being sent', async () => {
    verifies('form.archive-cap-early');
    using connection = await openRawConnection(berth.port);
    await connection.send(
      `POST /v1/deploy HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${berth.key}\r\nTransfer-Encoding: chunked\r\n` +
        `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n\r\n`,
    );
    const chunk = (bytes: Buffer) =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
    for (const part of formFor('endless').slice(0, 2)) await connection.send(chunk(encodePart(part)));
    const start = encodePart({ name: 'source_archive.0', body: '', filename: 'a' }).subarray(0, -2);
    await connection.send(chunk(start));
    const mebibyte = chunk(Buffer.alloc(1_048_576, 1));
    for (let sent = 0; sent < 101; sent++) await connection.send(mebibyte);
    const head = await connection.receive(/\r\n\r\n[\s\S]*\}/);
    expect(head).toMatch(/^HTTP\/1\.1 422 /);
    expect(head).toContain('source_archive.0');
  });
});

describe('a client that vanishes in mid-upload', () => {
  // A server of its own: instances of the services above come and go with copies of 100 MiB.
  const berth = useBerth();
  const incoming = () => globSync(path.join(berth.dataFolder, '**/.incoming-*'));

  it('leaves nothing behind', async () => {
    const name = uniqueName('vanish');
    const before = folderBytes(berth.dataFolder);
    const connection = await openRawConnection(berth.port);
    const form = multipart(formFor(name));
    const noise = Buffer.alloc(20_000_000, 7);
    await connection.send(
      `POST /v1/deploy HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${berth.key}\r\nContent-Length: 90000000\r\n` +
        `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n\r\n`,
    );
    await connection.send(form.subarray(0, form.length - 100));
    await connection.send(noise);
    await waitFor('the upload is on its way', () => folderBytes(berth.dataFolder) > before + 10_000_000);
    connection.socket.destroy();
    await waitFor('the upload is gone', () => incoming().length === 0);
    expect(folderBytes(berth.dataFolder)).toBeLessThan(before + 5_000_000);
    expect((await berth.api(`/v1/deployment/${name}`)).status).toBe(404);
    const again = await deploy(berth, name, { archive });
    expect(again.last.status).toBe('DONE');
  });
});
