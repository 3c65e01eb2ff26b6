import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { receiveArchive } from './receive-archive.ts';

const bytesOf = (sizeBytes: number, chunkBytes = 1_000) =>
  Readable.from(
    (function* () {
      for (let sent = 0; sent < sizeBytes; sent += chunkBytes) {
        yield Buffer.alloc(Math.min(chunkBytes, sizeBytes - sent), 7);
      }
    })(),
  );

test('stores the bytes under their hash, readable by the server alone', async () => {
  await using root = await createTemporaryFolder();
  const folder = join(root.path, 'made', 'on', 'demand');
  const stored = await receiveArchive(bytesOf(12_345), { folder, name: 'a.tar.gz' });
  const bytes = await readFile(stored.path);
  expect(stored).toEqual({
    path: join(folder, 'a.tar.gz'),
    sizeBytes: 12_345,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  expect(bytes.byteLength).toBe(12_345);
  expect((await stat(stored.path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['a.tar.gz']);
});

test('exactly maxBytes are accepted; one more byte is refused at once', async () => {
  await using root = await createTemporaryFolder();
  const folder = root.path;
  const stored = await receiveArchive(bytesOf(10_000), { folder, name: 'fits', maxBytes: 10_000 });
  expect(stored.sizeBytes).toBe(10_000);

  let sent = 0;
  const endless = Readable.from(
    (async function* () {
      for (;;) {
        sent += 1_000;
        yield Buffer.alloc(1_000);
      }
    })(),
  );
  await expect(receiveArchive(endless, { folder, name: 'big', maxBytes: 9_999 })).rejects.toMatchObject({
    code: 'archive_too_large',
    details: { maxBytes: 9_999 },
  });
  // Readable.from reads a few chunks ahead, so the test only checks that reading stopped.
  expect(sent).toBeLessThan(100_000);
  expect(await readdir(folder)).toEqual(['fits']);
});

test('a broken stream leaves nothing', async () => {
  await using root = await createTemporaryFolder();
  const source = new PassThrough();
  const receiving = receiveArchive(source, { folder: root.path, name: 'a' });
  source.write(Buffer.alloc(5_000));
  source.destroy(new Error('client went away'));
  await expect(receiving).rejects.toThrow('client went away');
  expect(await readdir(root.path)).toEqual([]);
});

test('an abort leaves nothing and closes the source', async () => {
  await using root = await createTemporaryFolder();
  const source = new PassThrough();
  const abort = new AbortController();
  const receiving = receiveArchive(source, { folder: root.path, name: 'a', signal: abort.signal });
  source.write(Buffer.alloc(5_000));
  abort.abort();
  await expect(receiving).rejects.toMatchObject({ name: 'AbortError' });
  expect(source.destroyed).toBe(true);
  expect(await readdir(root.path)).toEqual([]);
});
