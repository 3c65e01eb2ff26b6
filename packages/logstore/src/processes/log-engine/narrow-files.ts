import type { RequiredTokens } from '../../query/filter/required-tokens.ts';
import type { TokenFilter } from '../../tokens/token-filter.ts';
import { readTokenIndex, type TokenBlock } from '../../tokens/token-index.ts';
import { quoteSql } from './entry-columns.ts';
import { createTokenTest } from './index-tokens.ts';

/** A Parquet file, and the parts of it that are read. */
export interface NarrowedFile {
  readonly path: string;
  /** Times in nanoseconds since the epoch, inclusive; absent for all of the file. */
  readonly ranges?: readonly TimeRange[];
}

type TimeRange = Pick<TokenBlock, 'startsAt' | 'endsAt'>;

/** Ranges read of a file: each opens it again. */
const RANGES_MAX = 16;

/** Indexes in memory, of files read before. A file never changes. */
const KEPT_BYTES = 32 * 2 ** 20;
const kept = new Map<string, readonly TokenBlock[] | undefined>();
let keptBytes = 0;

/**
 * Returns the files, or parts of them, that may hold entries with the tokens, in order. A file without an index is read
 * completely. @throws the system's error.
 */
export async function narrowFiles(
  paths: readonly string[],
  required: RequiredTokens | undefined,
): Promise<readonly NarrowedFile[]> {
  if (!required) return paths.map((path) => ({ path }));
  const test = createTokenTest(required);
  const narrowed: NarrowedFile[] = [];
  for (const path of paths) {
    const blocks = await indexOf(path);
    const ranges = blocks && rangesOf(blocks, test);
    if (!ranges) narrowed.push({ path });
    else if (ranges.length > 0) narrowed.push({ path, ranges });
  }
  return narrowed;
}

/** Returns the ranges of time of the blocks that may have the tokens; undefined when that is all of them. */
function rangesOf(
  blocks: readonly TokenBlock[],
  mayHaveTokens: (filter: TokenFilter) => boolean,
): readonly TimeRange[] | undefined {
  const ranges: TimeRange[] = [];
  let isOpen = false;
  for (const { filter, startsAt, endsAt } of blocks) {
    const mayHave = mayHaveTokens(filter);
    const last = ranges.at(-1);
    if (mayHave && isOpen && last) ranges[ranges.length - 1] = { startsAt: last.startsAt, endsAt };
    else if (mayHave) ranges.push({ startsAt, endsAt });
    isOpen = mayHave;
  }
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (first && last && ranges.length > RANGES_MAX) return [{ startsAt: first.startsAt, endsAt: last.endsAt }];
  return ranges.length === 1 && first?.startsAt === blocks[0]?.startsAt && first?.endsAt === blocks.at(-1)?.endsAt
    ? undefined
    : ranges;
}

async function indexOf(path: string): Promise<readonly TokenBlock[] | undefined> {
  if (kept.has(path)) return kept.get(path);
  const blocks = await readTokenIndex(path);
  const bytes = sizeOf(blocks);
  for (const [oldest, its] of kept) {
    if (keptBytes + bytes <= KEPT_BYTES) break;
    kept.delete(oldest);
    keptBytes -= sizeOf(its);
  }
  kept.set(path, blocks);
  keptBytes += bytes;
  return blocks;
}

function sizeOf(blocks: readonly TokenBlock[] | undefined): number {
  return (blocks ?? []).reduce((sum, block) => sum + block.filter.bits.length + 200, 100);
}

/** Returns SQL of the entries in these files; the columns are those of the first one unless the files are read in parts. */
export function readNarrowed(files: readonly NarrowedFile[]): string {
  const whole = files.filter(({ ranges }) => !ranges).map(({ path }) => path);
  // One part per range: DuckDB skips row groups by one range of time, but not by several.
  const parts = files.flatMap(({ path, ranges }) =>
    (ranges ?? []).map(
      ({ startsAt, endsAt }) =>
        `(SELECT * FROM ${read([path])} WHERE timestamp BETWEEN make_timestamp_ns(${startsAt}) AND make_timestamp_ns(${endsAt}))`,
    ),
  );
  if (whole.length > 0) parts.unshift(parts.length === 0 ? read(whole) : `(SELECT * FROM ${read(whole)})`);
  return parts.length === 1 && whole.length > 0 ? (parts[0] ?? '') : `(${parts.join(' UNION ALL BY NAME ')})`;
}

function read(paths: readonly string[]): string {
  return `read_parquet([${paths.map(quoteSql).join(', ')}])`;
}
