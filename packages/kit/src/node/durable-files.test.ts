import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writePrivateFile } from './durable-files.ts';

test('a file is replaced whole and for its owner alone; a failure leaves nothing behind', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-kit-'));
  try {
    const file = path.join(folder, 'secret');
    await writePrivateFile(file, 'one');
    await writePrivateFile(file, 'two');
    expect(readFileSync(file, 'utf8')).toBe('two');
    // Fails when the file is opened with the default mode.
    expect(statSync(file).mode & 0o777).toBe(0o600);
    mkdirSync(path.join(folder, 'taken/inside'), { recursive: true });
    await expect(writePrivateFile(path.join(folder, 'taken'), 'three')).rejects.toThrow();
    // Fails when the temporary file isn't removed after a failed rename.
    expect(readdirSync(folder).sort()).toEqual(['secret', 'taken']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
