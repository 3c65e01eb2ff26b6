import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { parseWorkspacePath } from '@berth/agent-core';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { unpackZip } from './unpack-zip.ts';

interface ZipEntry {
  readonly name: string;
  readonly bytes?: Uint8Array;
  /** Of Unix. */
  readonly mode?: number;
}

async function zipOf(...entries: readonly ZipEntry[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, bytes = Buffer.from(name), mode = 0o100_644 } of entries) {
    if (name.endsWith('/')) zip.addEmptyDirectory(name);
    else zip.addBuffer(Buffer.from(bytes), name, { mode });
  }
  zip.end();
  const chunks: Uint8Array[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

/** Writes another name of the same length into a zip, where the library that makes it would not. */
const rename = (zip: Buffer, from: string, to: string) =>
  Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');

const upload = (fixture: TestAgent, zip: Uint8Array, folder = 'in') =>
  fixture.call('alice', 'POST', `/files-batch/${folder}`, new Blob([new Uint8Array(zip)], { type: 'application/zip' }));

async function nothingStored(fixture: TestAgent): Promise<void> {
  expect(await (await fixture.call('alice', 'GET', '/files?recursive')).json()).toEqual([]);
  expect(await readdir(path.join(fixture.dataFolder, '.incoming'))).toEqual([]);
}

describe('a zip', () => {
  it('is unpacked, as the body, as a field, or as the only file of a form', async () => {
    await using fixture = await openTestAgent();
    const zip = await zipOf(
      { name: 'a.txt' },
      { name: 'b/' },
      { name: 'b/ü.txt' },
      { name: '__MACOSX/b/._ü.txt' },
      { name: '.DS_Store' },
    );
    const field = new FormData();
    field.append('zip', new Blob([new Uint8Array(zip)]), 'anything');
    const file = new FormData();
    file.append('file', new Blob([new Uint8Array(zip)]), 'x.zip');
    const answers = [
      await upload(fixture, zip, 'one'),
      await fixture.call('alice', 'POST', '/files-batch/two', field),
      await fixture.call('alice', 'POST', '/files-batch/three', file),
    ];
    for (const [index, folder] of ['one', 'two', 'three'].entries()) {
      expect(await answers[index]?.json()).toEqual({
        ok: true,
        files: 2,
        paths: [`${folder}/a.txt`, `${folder}/b/ü.txt`],
      });
      expect(await (await fixture.call('alice', 'GET', `/files/${folder}/b/%C3%BC.txt`)).text()).toBe('b/ü.txt');
    }
    file.append('file', new Blob(['beside']), 'beside.txt');
    expect(await (await fixture.call('alice', 'POST', '/files-batch/four', file)).json()).toEqual({
      ok: true,
      files: 2,
      paths: ['four/x.zip', 'four/beside.txt'],
    });
  });

  it.each([
    ['climbs', ['xx/xx/evil.txt', '../../evil.txt'], 403],
    ['is absolute', ['xetc/evil.txt', '/etc/evil.txt'], 403],
    ['climbs with backslashes', ['xx/xx/evil.txt', '..\\..\\evil.txt'], 403],
    ['is in a reserved tree once it is in its folder', ['good2.txt', 'good1.txt'], 422],
  ] as const)('with a name that %s is not unpacked at all', async (_what, [made, meant], status) => {
    await using fixture = await openTestAgent();
    const zip = rename(await zipOf({ name: 'good1.txt' }, { name: made }), made, meant);
    expect((await upload(fixture, zip)).status).toBe(status);
    await nothingStored(fixture);
  });

  it('does not reach what the agent keeps to itself', async () => {
    await using fixture = await openTestAgent();
    const zip = await zipOf({ name: '.trash/x.txt' });
    expect(
      (
        await fixture.call(
          'alice',
          'POST',
          '/files-batch',
          new Blob([new Uint8Array(zip)], { type: 'application/zip' }),
        )
      ).status,
    ).toBe(403);
    await nothingStored(fixture);
  });

  it('with a link in it is not unpacked', async () => {
    await using fixture = await openTestAgent();
    const zip = await zipOf({ name: 'a.txt' }, { name: 'link', bytes: Buffer.from('/etc/passwd'), mode: 0o120_777 });
    const answer = await upload(fixture, zip);
    expect([answer.status, (await answer.json()).detail]).toEqual([403, expect.stringMatching(/link/)]);
    await nothingStored(fixture);
  });

  it('that would fill the disk is refused before it is unpacked, and one that lies about it while it is', async () => {
    await using fixture = await openTestAgent({ maxUploadMb: 1 });
    const bomb = await zipOf({ name: 'a' }, { name: 'bomb', bytes: new Uint8Array(8 * 2 ** 20) });
    expect(bomb.length).toBeLessThan(20_000);
    const refused = await upload(fixture, bomb);
    expect([refused.status, (await refused.json()).detail]).toEqual([413, expect.stringMatching(/unpacks to more/)]);
    await nothingStored(fixture);
    // The directory says 1 byte; what comes out is 8 MiB.
    const size = Buffer.alloc(4);
    size.writeUInt32LE(8 * 2 ** 20);
    const lie = rename(bomb, size.toString('latin1'), '\x01\0\0\0');
    const caught = await upload(fixture, lie);
    expect([caught.status, (await caught.json()).detail]).toEqual([400, expect.stringMatching(/cannot be read/)]);
    await nothingStored(fixture);
  });

  it('with more entries than a person has is refused', async () => {
    await using fixture = await openTestAgent();
    const zip = await zipOf({ name: 'a.txt' });
    // What the end of the directory says: the number of entries is refused before any is read.
    for (const at of [zip.length - 14, zip.length - 12]) zip.writeUInt16LE(10_001, at);
    expect((await upload(fixture, zip)).status).toBe(413);
    await nothingStored(fixture);
  });

  it('that is none, or damaged, is 400', async () => {
    await using fixture = await openTestAgent();
    const zip = await zipOf({ name: 'a.txt', bytes: new Uint8Array(10_000).map((_, index) => index * 7) });
    const damaged = Buffer.from(zip);
    damaged.fill(0xff, 60, 200);
    for (const bytes of [Buffer.from('no zip'), Buffer.alloc(0), zip.subarray(0, zip.length - 30), damaged]) {
      expect((await upload(fixture, bytes)).status).toBe(400);
    }
    await nothingStored(fixture);
  });
});

it('an entry that is damaged is told to a reader that begins late, who does not wait for ever', async () => {
  await using fixture = await openTestAgent();
  const zip = await zipOf({ name: 'a.txt', bytes: new Uint8Array(10_000).map((_, index) => index * 7) });
  zip.fill(0xff, 60, 200);
  const file = path.join(fixture.dataFolder, 'damaged.zip');
  await writeFile(file, zip);
  const stage = async (body: AsyncIterable<Uint8Array>): Promise<never> => {
    await setTimeout(100);
    for await (const _ of body);
    throw new Error('it was read to its end');
  };
  const unpacked = unpackZip(file, parseWorkspacePath, { stage, maxBytes: 2 ** 20, onFile() {} });
  await expect(unpacked).rejects.toMatchObject({ code: 'bad_request' });
});

describe('a folder as a zip', () => {
  it('ends when its reader goes, and the next one has all of it', async () => {
    await using fixture = await openTestAgent();
    const random = crypto.getRandomValues(new Uint8Array(65_536));
    for (let index = 0; index < 40; index++) await fixture.call('alice', 'PUT', `/files/big/${index}.png`, random);
    const gone = await fixture.call('alice', 'GET', '/files/big');
    const reader = gone.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await setImmediate();
    const whole = await (await fixture.call('alice', 'GET', '/files/big')).arrayBuffer();
    const back = await upload(fixture, new Uint8Array(whole), 'copy');
    expect(((await back.json()) as { files: number }).files).toBe(40);
    const copy = new Uint8Array(await (await fixture.call('alice', 'GET', '/files/copy/39.png')).arrayBuffer());
    expect(Buffer.from(copy).equals(random)).toBe(true);
  });
});
