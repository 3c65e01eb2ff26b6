import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { type Header, pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { type AddEntry, checkArchive, readArchive, writeSealedArchive } from './index.ts';

const signal = new AbortController().signal;
/** Size of the empty frame that Node appends to a zstd stream; the archive is complete without it. */
const EMPTY_FRAME_BYTES = 13;
const MTIME = new Date(1_700_000_000_000);

async function write(fill: (add: AddEntry) => Promise<void>): Promise<Buffer> {
  const { stream, done } = writeSealedArchive(fill);
  const [bytes] = await Promise.all([buffer(stream), done]);
  return bytes;
}

const addText = (add: AddEntry, name: string, content: string, more: Partial<Header> = {}) =>
  add({ name, size: Buffer.byteLength(content), mtime: MTIME, ...more }, [Buffer.from(content)]);

const writeSample = () =>
  write(async (add) => {
    await addText(add, 'first.txt', 'hello');
    await add({ name: 'folder', type: 'directory', mtime: MTIME });
    await add({ name: 'folder/link', type: 'symlink', linkname: '../first.txt', mtime: MTIME });
    await addText(add, `folder/${'long/'.repeat(30)}ü.txt`, 'x'.repeat(2_000));
    await addText(add, 'empty', '');
  });

const check = (bytes: Buffer) => checkArchive(Readable.from([bytes]), { signal, onEntry: async () => {} });

async function entriesOf(bytes: Buffer) {
  const entries: (readonly [string, string])[] = [];
  const onEntry = async ({ name }: Header, content: AsyncIterable<Buffer>) => {
    entries.push([name, await text(content)]);
  };
  await readArchive(Readable.from([bytes]), { signal, onEntry });
  return entries;
}

describe('a sealed archive', () => {
  it('is read back unchanged', async () => {
    const bytes = await writeSample();
    expect(await check(bytes)).toEqual({ isSealed: true });
    expect(await entriesOf(bytes)).toEqual([
      ['first.txt', 'hello'],
      ['folder', ''],
      ['folder/link', ''],
      [`folder/${'long/'.repeat(30)}ü.txt`, 'x'.repeat(2_000)],
      ['empty', ''],
      ['./', ''],
    ]);
    expect(await check(await write(async () => {}))).toEqual({ isSealed: true });
  });

  // Fails when only contents are hashed: a byte of the padding or of a header's unused field could then change.
  it('is refused with any bit of the tar changed, headers, padding and seal included', async () => {
    const tar = zstdDecompressSync(await writeSample());
    const compress = (bytes: Buffer) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
    expect(await check(compress(tar))).toEqual({ isSealed: true });
    await fc.assert(
      fc.asyncProperty(fc.nat(tar.length - 1), fc.nat(7), async (position, bit) => {
        const changed = Buffer.from(tar);
        changed[position] = (changed[position] ?? 0) ^ (1 << bit);
        await expect(check(compress(changed))).rejects.toMatchObject({ code: 'bad_request' });
      }),
      { numRuns: 300 },
    );
  });

  it('is refused with any byte of the file changed, cut or added', async () => {
    const bytes = await writeSample();
    for (let position = 0; position < bytes.length; position++) {
      const changed = Buffer.from(bytes);
      changed[position] = (changed[position] ?? 0) ^ 0xff;
      await expect(check(changed), `byte ${position}`).rejects.toMatchObject({ code: 'bad_request' });
      if (position === 0 || position >= bytes.length - EMPTY_FRAME_BYTES) continue;
      await expect(check(bytes.subarray(0, position)), `cut at ${position}`).rejects.toMatchObject({
        code: 'bad_request',
      });
    }
    await expect(check(Buffer.concat([bytes, Buffer.from('more')]))).rejects.toThrow(/after its end|can't be read/);
  });

  it('is refused where it was cut between two entries and compressed again', async () => {
    const tar = zstdDecompressSync(await writeSample());
    // The pax header, the header of the first entry, and its content: 4 blocks.
    const cut = Buffer.concat([tar.subarray(0, 4 * 512), Buffer.alloc(1_024)]);
    await expect(check(zstdCompressSync(cut))).rejects.toThrow('truncated, changed or damaged');
  });

  it('says which entry was changed', async () => {
    const tar = zstdDecompressSync(await writeSample());
    tar.write('HELLO', tar.indexOf('hello'));
    await expect(check(zstdCompressSync(tar))).rejects.toThrow('the checksum of "first.txt" in it differs');
  });

  it('is aborted with the error of its writer', async () => {
    const { stream, done } = writeSealedArchive(async () => {
      throw new Error('no more');
    });
    await expect(buffer(stream)).rejects.toThrow('no more');
    await expect(done).rejects.toThrow('no more');
  });
});

it('an archive from another program is read and reported as unsealed', async () => {
  const tar = pack();
  tar.entry({ name: 'one' }, 'text');
  tar.finalize();
  const bytes = zstdCompressSync(await buffer(tar));
  expect(await check(bytes)).toEqual({ isSealed: false });
  await expect(check(Buffer.from('no archive'))).rejects.toMatchObject({ code: 'bad_request' });
});
