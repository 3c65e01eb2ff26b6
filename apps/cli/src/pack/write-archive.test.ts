import path from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { writeArchive } from './write-archive.ts';

test.each([
  ['grew', 3],
  ['shrank', 300_000],
])('a file that %s since it was looked at is an error', async (_how, sizeBytes) => {
  await using folder = await createTemporaryFolder();
  await folder.write({ a: 'a'.repeat(100_000) });
  const entries = [{ kind: 'file', path: 'a', sizeBytes, isExecutable: false } as const];
  const file = path.join(folder.path, 'out.tar.gz');
  const failure = writeArchive({ root: folder.path, entries, file, limitBytes: 1e9 });
  await expect(failure).rejects.toMatchObject({
    code: 'archive_invalid',
    message: 'a changed while it was packed. Try again.',
  });
});

test('a file that is gone is an error that names it', async () => {
  await using folder = await createTemporaryFolder();
  const entries = [{ kind: 'file', path: 'gone', sizeBytes: 1, isExecutable: false } as const];
  const file = path.join(folder.path, 'out.tar.gz');
  await expect(writeArchive({ root: folder.path, entries, file, limitBytes: 1e9 })).rejects.toThrow(
    /gone can't be read/,
  );
});
