import { rm, writeFile } from 'node:fs/promises';
import type { ReadableFile } from '../lines/log-files.ts';
import type { BlockTable } from '../ports/block-table.ts';
import type { LineSegment, LogBlock, LogPlace } from '../ports/segment.ts';
import type { LinesToFile } from '../segments/lines-to-file.ts';
import { decodeBlock } from './encode-block.ts';

/** The lines of blocks, read as if they were files. The most recently used blocks are kept in memory. */
export interface BlockLines {
  /** Adds a block that was just appended. */
  keep(place: LogPlace, block: LogBlock, lines: Buffer): void;
  open(place: LogPlace, segment: LineSegment): Promise<ReadableFile>;
  readonly toFile: LinesToFile;
}

/** Blocks fetched at once: small ones, which are many, cost a round trip together. */
const WINDOW_BYTES = 2 ** 20;
const WINDOW_BLOCKS = 500;

export function createBlockLines(table: Pick<BlockTable, 'bodies'>, cacheBytes: number): BlockLines {
  /** Least recently used first. */
  const cache = new Map<string, Buffer>();
  let usedBytes = 0;
  const idOf = (place: LogPlace, { startsAt }: LogBlock) => `${place.account}/${place.deployment}/${startsAt}`;

  function add(id: string, lines: Buffer): void {
    usedBytes += lines.length - (cache.get(id)?.length ?? 0);
    cache.delete(id);
    cache.set(id, lines);
    for (const [oldest, { length }] of cache) {
      if (usedBytes <= cacheBytes) break;
      cache.delete(oldest);
      usedBytes -= length;
    }
  }

  /** Returns the lines of some adjacent blocks. */
  async function fetch(place: LogPlace, blocks: readonly LogBlock[]): Promise<readonly Buffer[]> {
    const known = blocks.map((block) => cache.get(idOf(place, block)));
    const missing = blocks.filter((_, index) => known[index] === undefined);
    const [first, last] = [missing[0], missing.at(-1)];
    if (!first || !last) {
      for (const [index, block] of blocks.entries()) add(idOf(place, block), known[index] as Buffer);
      return known as Buffer[];
    }
    const stored = new Map<string, Uint8Array>();
    for (const { startsAt, body } of await table.bodies(place, first.startsAt, last.startsAt))
      stored.set(startsAt, body);
    const found: Buffer[] = [];
    for (const [index, block] of blocks.entries()) {
      const body = stored.get(block.startsAt);
      const lines = known[index] ?? (body && (await decodeBlock(body, block)));
      // As for a file: the caller lists the log again.
      if (!lines) throw Object.assign(new Error(`no such log block: ${block.startsAt}`), { code: 'ENOENT' });
      add(idOf(place, block), lines);
      found.push(lines);
    }
    return found;
  }

  const open = async (place: LogPlace, segment: LineSegment): Promise<ReadableFile> => {
    const windows = windowsOf(segment.blocks ?? []);
    let current: { readonly window: Window; readonly lines: Buffer } | undefined;
    const load = async (position: number) => {
      const window = windows.findLast(({ start }) => start <= position);
      if (!window) return undefined;
      if (current?.window !== window) current = { window, lines: Buffer.concat(await fetch(place, window.blocks)) };
      return current;
    };
    return {
      async read(position, length) {
        const parts: Buffer[] = [];
        let left = length;
        for (let at = position; left > 0; ) {
          const loaded = await load(at);
          const part = loaded?.lines.subarray(at - loaded.window.start, at - loaded.window.start + left);
          if (!part || part.length === 0) break;
          parts.push(part);
          at += part.length;
          left -= part.length;
        }
        return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
      },
      [Symbol.asyncDispose]: async () => {},
    };
  };

  return {
    keep: (place, block, lines) => add(idOf(place, block), lines),
    open,
    async toFile(place, segment, target, range = { start: 0, end: segment.sizeBytes }) {
      const path = `${target}.blocks`;
      await using lines = await open(place, segment);
      await writeFile(path, await lines.read(range.start, range.end - range.start), { mode: 0o600 });
      return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    },
  };
}

interface Window {
  /** Offset of its first line in the segment. */
  readonly start: number;
  readonly blocks: LogBlock[];
}

function windowsOf(blocks: readonly LogBlock[]): readonly Window[] {
  const windows: Window[] = [];
  let position = 0;
  let bytes = 0;
  for (const block of blocks) {
    const last = windows.at(-1);
    if (last && bytes + block.sizeBytes <= WINDOW_BYTES && last.blocks.length < WINDOW_BLOCKS) last.blocks.push(block);
    else {
      windows.push({ start: position, blocks: [block] });
      bytes = 0;
    }
    bytes += block.sizeBytes;
    position += block.sizeBytes;
  }
  return windows;
}

/** Returns line segments of at most `segmentBytes`, of adjacent blocks. Blocks that are added change only the last one. */
export function segmentsOfBlocks(place: LogPlace, blocks: readonly LogBlock[], segmentBytes: number): LineSegment[] {
  const groups: LogBlock[][] = [];
  let bytes = 0;
  for (const block of blocks) {
    if (groups.length === 0 || bytes + block.sizeBytes > segmentBytes) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(block);
    bytes += block.sizeBytes;
  }
  return groups.map((group) => {
    const startsAt = group[0]?.startsAt ?? '';
    return {
      kind: 'lines',
      path: ['blocks', place.account, place.deployment, startsAt].join('/'),
      startsAt,
      sizeBytes: group.reduce((sum, block) => sum + block.sizeBytes, 0),
      blocks: group,
      summary: {
        startsAt,
        endsAt: group.at(-1)?.endsAt ?? startsAt,
        rows: group.reduce((sum, block) => sum + block.rows, 0),
        severities: group.reduce((bits, block) => bits | block.severities, 0),
      },
    };
  });
}
