import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { StoredArchive } from '../port/builder.ts';

/** A tar entry built by hand, so that tests can create entries that no archiver writes. */
export interface TarEntry {
  readonly name: string | Uint8Array;
  /** The type flag, `0` (file) by default. Source: POSIX.1-2017, pax, ustar header block. */
  readonly type?: string;
  readonly content?: string | Uint8Array;
  readonly linkName?: string;
  readonly mode?: number;
  /** The size in the header, if it differs from the content's. */
  readonly claimedSize?: number;
  readonly magic?: string;
}

const BLOCK_BYTES = 512;

/** Returns the header block, content and padding of one entry. */
export function tarEntry(entry: TarEntry): Buffer {
  const { type = '0', linkName = '', mode = 0o644, magic = 'ustar\u000000' } = entry;
  const content = Buffer.from(entry.content ?? '');
  const header = Buffer.alloc(BLOCK_BYTES);
  Buffer.from(entry.name).copy(header, 0, 0, 100);
  const octal = (value: number, offset: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(entry.claimedSize ?? content.byteLength, 124, 12);
  octal(0, 136, 12);
  header.write(type, 156, 'latin1');
  Buffer.from(linkName).copy(header, 157, 0, 100);
  header.write(magic, 257, 'latin1');
  header.fill(' ', 148, 156);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  const padding = Buffer.alloc((BLOCK_BYTES - (content.byteLength % BLOCK_BYTES)) % BLOCK_BYTES);
  return Buffer.concat([header, content, padding]);
}

/** Returns a pax record (type `x`) for the next entry. */
export function paxEntry(records: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')]);
    let length = rest.byteLength + 1;
    while (String(length).length + rest.byteLength !== length) length = String(length).length + rest.byteLength;
    return Buffer.concat([Buffer.from(String(length)), rest]);
  });
  return tarEntry({ name: 'PaxHeader', type: 'x', content: Buffer.concat(lines) });
}

/** Returns a complete tar: the parts and the two zero blocks that end it. */
export function buildTar(parts: readonly (TarEntry | Buffer)[]): Buffer {
  return Buffer.concat([
    ...parts.map((part) => (Buffer.isBuffer(part) ? part : tarEntry(part))),
    Buffer.alloc(2 * BLOCK_BYTES),
  ]);
}

/** Returns a project as an archive: path to content; a path that ends in `/` is a folder. */
export function buildArchive(files: Readonly<Record<string, string>>): Buffer {
  return gzipSync(
    buildTar(
      Object.entries(files).map(([name, content]) =>
        name.endsWith('/') ? { name, type: '5', mode: 0o755 } : { name, content },
      ),
    ),
  );
}

/** Writes an archive to `path` and returns its record, with an empty hash. */
export async function storeArchive(path: string, bytes: Uint8Array): Promise<StoredArchive> {
  await writeFile(path, bytes);
  return { path, sizeBytes: bytes.byteLength, sha256: '' };
}
