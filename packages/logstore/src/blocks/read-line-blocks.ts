import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { SEVERITIES } from '@berth/contract';
import { scanForward } from '../lines/line-scan.ts';
import { createNodeLogFiles } from '../lines/log-files.ts';
import { readLineHead } from '../lines/record-line.ts';
import type { NewBlock } from '../ports/block-table.ts';
import type { LogPlace } from '../ports/segment.ts';
import { parseSegmentName } from '../segments/segment-name.ts';

const compress = promisify(zstdCompress);
/** Maximum bytes of a block's lines, before compression; a longer line is a block of its own. */
const BLOCK_BYTES = 256 * 1024;

/** A log of a folder of logs, with its files of lines. */
export interface FolderLog {
  readonly place: LogPlace;
  readonly files: number;
  readonly sizeBytes: number;
}

/** Returns the logs that have lines in a folder of logs, sorted. */
export async function listFolderLogs(folder: string): Promise<readonly FolderLog[]> {
  const found: FolderLog[] = [];
  for (const account of await foldersOf(folder)) {
    for (const deployment of await foldersOf(join(folder, account))) {
      const place = { account, deployment };
      const names = await lineFilesOf(folder, place);
      let sizeBytes = 0;
      for (const name of names) sizeBytes += (await stat(join(folder, account, deployment, name))).size;
      if (names.length > 0) found.push({ place, files: names.length, sizeBytes });
    }
  }
  return found;
}

/**
 * Yields the lines of a log in a folder that no server uses, as blocks, oldest first. Incomplete and damaged lines are left out, as in
 * reads of the log.
 * @param after Only lines after this timestamp.
 */
export async function* readLineBlocks(folder: string, place: LogPlace, after = ''): AsyncGenerator<NewBlock> {
  const files = createNodeLogFiles();
  let draft = createDraft(after);
  for (const name of await lineFilesOf(folder, place)) {
    const path = join(folder, place.account, place.deployment, name);
    const full: Draft[] = [];
    await using file = await files.openForReading(path);
    await scanForward(file, { start: 0, end: await files.size(path) }, (line) => {
      const head = readLineHead(line);
      // A line that isn't newer was copied, or a segment has it.
      if (!head || head.timestamp <= draft.endsAt) return;
      if (draft.rows > 0 && draft.sizeBytes + line.length > BLOCK_BYTES) {
        full.push(draft);
        draft = createDraft(draft.endsAt);
      }
      draft.startsAt ||= head.timestamp;
      draft.endsAt = head.timestamp;
      draft.rows++;
      draft.sizeBytes += line.length;
      draft.severities |= 1 << SEVERITIES.indexOf(head.severity);
      draft.lines.push(Buffer.from(line));
    });
    for (const one of full) yield toBlock(one);
  }
  if (draft.rows > 0) yield toBlock(draft);
}

interface Draft {
  startsAt: string;
  endsAt: string;
  rows: number;
  sizeBytes: number;
  severities: number;
  readonly lines: Buffer[];
}

const createDraft = (endsAt: string): Draft => ({
  startsAt: '',
  endsAt,
  rows: 0,
  sizeBytes: 0,
  severities: 0,
  lines: [],
});

async function toBlock({ lines, ...summary }: Draft): Promise<NewBlock> {
  return { ...summary, body: await compress(Buffer.concat(lines)) };
}

async function lineFilesOf(folder: string, { account, deployment }: LogPlace): Promise<string[]> {
  const names = await createNodeLogFiles().list(join(folder, account, deployment));
  return names.filter((name) => name.endsWith('.log') && parseSegmentName(name) !== undefined);
}

async function foldersOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return folders.map(({ name }) => name).sort();
}
