import { describe, expect, it } from 'vitest';
import { droppedFiles } from './dropped-files.ts';

const file = (name: string) => new File(['x'], name);

const fileEntry = (name: string) => ({
  ...{ isFile: true, name },
  file: (resolve: (file: File) => void) => resolve(file(name)),
});

/** A folder whose reader returns `batches`, as browsers do with more than a hundred entries. */
const folderEntry = (name: string, ...batches: readonly (readonly unknown[])[]) => ({
  ...{ isFile: false, name },
  createReader() {
    const left = [...batches];
    return { readEntries: (resolve: (entries: readonly unknown[]) => void) => resolve(left.shift() ?? []) };
  },
});

const drop = (entries: readonly unknown[], files: readonly File[] = []) =>
  droppedFiles({
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files,
  } as unknown as DataTransfer);

describe('dropped files', () => {
  it('have their names as paths', async () => {
    expect((await drop([fileEntry('a'), fileEntry('b')])).map(({ path }) => path)).toEqual(['a', 'b']);
  });

  it('of folders have the folders in their paths', async () => {
    const entries = [folderEntry('x', [fileEntry('a'), folderEntry('y', [fileEntry('b')])]), fileEntry('c')];
    expect((await drop(entries)).map(({ path }) => path)).toEqual(['x/a', 'x/y/b', 'c']);
  });

  // Fails when a folder is read once: browsers return at most a hundred entries at a time.
  it('of large folders are all there', async () => {
    const entries = [folderEntry('x', [fileEntry('a')], [fileEntry('b')], [fileEntry('c')])];
    expect((await drop(entries)).map(({ path }) => path)).toEqual(['x/a', 'x/b', 'x/c']);
  });

  it('are found where the browser knows no entries', async () => {
    expect((await drop([null], [file('a')])).map(({ path }) => path)).toEqual(['a']);
  });

  it('fail as a whole when one can’t be read', async () => {
    const broken = {
      ...{ isFile: true, name: 'a' },
      file: (_resolve: unknown, reject: (error: Error) => void) => reject(new Error('gone')),
    };
    await expect(drop([fileEntry('b'), broken])).rejects.toThrow('gone');
  });
});
