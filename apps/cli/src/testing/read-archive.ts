import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

/** An entry as a reader of the archive sees it. */
export interface ReadEntry {
  readonly name: string;
  readonly type: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeMs: number;
  readonly target: string | undefined;
  readonly content: string;
}

/** All entries of a gzip tar, in its order. */
export async function readArchive(file: string): Promise<ReadEntry[]> {
  const entries: ReadEntry[] = [];
  const tar = extract();
  createReadStream(file)
    .pipe(createGunzip())
    .on('error', (error) => tar.destroy(error))
    .pipe(tar);
  for await (const entry of tar) {
    const { name, type, mode = 0, uid = 0, gid = 0, mtime, linkname } = entry.header;
    entries.push({
      name,
      type: type ?? 'file',
      mode,
      uid,
      gid,
      mtimeMs: mtime?.getTime() ?? 0,
      target: linkname ?? undefined,
      content: (await buffer(entry)).toString(),
    });
  }
  return entries;
}
