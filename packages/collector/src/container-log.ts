import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import type { Position } from './positions.ts';
import { type CriLine, readCriLine } from './read-cri-line.ts';

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 256 * 1024;
/** The length of a time in nanoseconds. */
const HEAD_BYTES = 30;
/** A longer line is no log line of a runtime, which splits lines at 16 KiB. */
const MAX_LINE_BYTES = 2 ** 20;

/** Result of one read. */
export interface ReadLines {
  readonly lines: readonly CriLine[];
  readonly position: Position | undefined;
  /** Files that were rotated away and removed before they were read to their end. */
  readonly lostFiles: number;
  /** True when more can be read at once. */
  readonly hasMore: boolean;
}

/**
 * Reads the log files of a container from a position: the rest of a rotated file first, then the current one. Reads at most 256 KiB.
 * @param folder `/var/log/pods/<namespace>_<pod>_<uid>/<container>`
 */
export async function readContainerLog(folder: string, from: Position | undefined): Promise<ReadLines> {
  const files = await listFiles(folder);
  if (files.length === 0) return { lines: [], position: from, lostFiles: 0, hasMore: false };
  let index = from === undefined || from.offset === 0 ? 0 : files.findIndex(({ head }) => head === from.head);
  let lostFiles = 0;
  if (index < 0) {
    lostFiles = 1;
    index = 0;
  }
  let offset = index === 0 && lostFiles === 1 ? 0 : (from?.offset ?? 0);
  for (let current = files[index]; current !== undefined; current = files[index]) {
    const { lines, read } = await readFrom(current, offset);
    offset += read;
    const isLast = index === files.length - 1;
    if (read > 0 || isLast) {
      const position = { head: current.head, offset };
      return { lines, position, lostFiles, hasMore: read > 0 };
    }
    index++;
    offset = 0;
  }
  return { lines: [], position: from, lostFiles, hasMore: false };
}

interface LogFile {
  readonly place: string;
  readonly head: string;
}

/** Returns the files, oldest first: `0.log.20261128-062236.gz`, `0.log.20261128-070000`, `0.log`, `1.log`. */
async function listFiles(folder: string): Promise<LogFile[]> {
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) =>
    /^\d+\.log(\.[\d-]+(\.gz)?)?$/.test(name),
  );
  names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (rank(a) < rank(b) ? -1 : 1));
  const files: LogFile[] = [];
  for (const name of names) {
    const place = path.join(folder, name);
    const head = await readHead(place).catch(() => undefined);
    if (head !== undefined) files.push({ place, head });
  }
  return files;
}

/** Returns the first bytes of a file's content. */
async function readHead(place: string): Promise<string> {
  const stream = createReadStream(place, place.endsWith('.gz') ? {} : { end: HEAD_BYTES - 1 });
  const content = place.endsWith('.gz') ? stream.pipe(createGunzip()) : stream;
  let head = Buffer.alloc(0);
  for await (const chunk of content as AsyncIterable<Buffer>) {
    head = Buffer.concat([head, chunk]);
    if (head.length >= HEAD_BYTES) break;
  }
  stream.destroy();
  return head.subarray(0, HEAD_BYTES).toString('latin1');
}

/** The current file sorts after those that were rotated away. */
function rank(name: string): string {
  return /^\d+\.log$/.test(name) ? '~' : name.replace(/^\d+\.log\./, '').replace(/\.gz$/, '');
}

/** Reads whole lines from an offset; `read` is their size in bytes. */
async function readFrom({ place }: LogFile, offset: number): Promise<{ lines: CriLine[]; read: number }> {
  if (place.endsWith('.gz')) return readCompressed(place, offset);
  let handle: FileHandle;
  try {
    handle = await open(place, 'r');
  } catch {
    return { lines: [], read: 0 };
  }
  try {
    for (let size = CHUNK_BYTES; ; size *= 2) {
      const buffer = Buffer.alloc(size);
      const { bytesRead } = await handle.read(buffer, 0, size, offset);
      const chunk = buffer.subarray(0, bytesRead);
      const end = chunk.lastIndexOf(LINE_FEED) + 1;
      if (end > 0 || bytesRead < size) return { lines: toLines(chunk.subarray(0, end)), read: end };
      // One line that is longer than the chunk.
      if (size >= MAX_LINE_BYTES) return { lines: [], read: bytesRead };
    }
  } finally {
    await handle.close();
  }
}

/** A file that was compressed meanwhile. Its offsets are those of the content. */
async function readCompressed(place: string, offset: number): Promise<{ lines: CriLine[]; read: number }> {
  const chunks: Buffer[] = [];
  let position = 0;
  try {
    for await (const chunk of createReadStream(place).pipe(createGunzip()) as AsyncIterable<Buffer>) {
      const skip = Math.max(0, offset - position);
      position += chunk.length;
      if (skip < chunk.length) chunks.push(chunk.subarray(skip));
    }
  } catch {
    // The kubelet removed it while it was read.
  }
  const rest = Buffer.concat(chunks);
  const end = rest.lastIndexOf(LINE_FEED) + 1;
  return { lines: toLines(rest.subarray(0, end)), read: end };
}

function toLines(bytes: Buffer): CriLine[] {
  const lines: CriLine[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    const line = readCriLine(bytes.subarray(from, end));
    if (line) lines.push(line);
    from = end + 1;
  }
  return lines;
}
