import { gzipSync } from 'node:zlib';
import type { ProjectFiles } from './project-files.ts';

/** Type flags of a tar entry. Source: POSIX.1-2017, pax, "ustar Interchange Format". */
const TYPE_FLAGS = {
  file: '0',
  'hard-link': '1',
  symlink: '2',
  'character-device': '3',
  'block-device': '4',
  folder: '5',
  fifo: '6',
  pax: 'x',
} as const;

/** One entry, written as given: nothing is checked or normalised, so that hostile archives can be made. */
export interface TarEntry {
  /** Up to 100 bytes, or 155 more before a `/` (split as ustar does); a Buffer for bytes that are not UTF-8. */
  readonly path: string | Buffer;
  readonly type?: keyof typeof TYPE_FLAGS;
  readonly body?: string | Buffer;
  readonly linkTarget?: string;
  readonly mode?: number;
  /** What the header claims, where it isn't the body's length. */
  readonly claimedSize?: number;
}

const BLOCK = 512;

/** An uncompressed ustar archive. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const body = Buffer.from(entry.body ?? '');
    return [header(entry, body.length), body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** A gzip tar. */
export function tarGz(entries: readonly TarEntry[]): Buffer {
  return gzipSync(tar(entries));
}

/** A gzip tar of plain files. */
export function packProject(files: ProjectFiles): Buffer {
  return tarGz(Object.entries(files).map(([path, body]) => ({ path, body })));
}

function header(entry: TarEntry, bodyLength: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const [prefix, name] = splitPath(Buffer.from(entry.path as string));
  const octal = (value: number, offset: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  name.copy(block, 0);
  octal(entry.mode ?? (entry.type === 'folder' ? 0o755 : 0o644), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(entry.claimedSize ?? bodyLength, 124, 12);
  octal(1_700_000_000, 136, 12);
  block.write(TYPE_FLAGS[entry.type ?? 'file'], 156, 'latin1');
  block.write(entry.linkTarget ?? '', 157, 100);
  block.write('ustar\x0000', 257, 'latin1');
  prefix.copy(block, 345);
  // The checksum is taken with its own field blank. Source: the same page.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function splitPath(path: Buffer): [prefix: Buffer, name: Buffer] {
  if (path.length <= 100) return [Buffer.alloc(0), path];
  const slash = path.indexOf('/', path.length - 101);
  if (slash === -1 || slash > 155) throw new Error(`a ustar header can't hold a path of ${path.length} bytes`);
  return [path.subarray(0, slash), path.subarray(slash + 1)];
}
