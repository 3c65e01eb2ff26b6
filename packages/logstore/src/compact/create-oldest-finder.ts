import { join } from 'node:path';
import type { LogFiles } from '../lines/log-files.ts';
import type { OldestSegment, SegmentCatalogue } from '../ports/segment-catalogue.ts';
import { parseSegmentName } from '../segments/segment-name.ts';

export interface OldestFinderOptions {
  /** Folder of all line segments: `<account>/<deployment>/<segment>`. */
  readonly root: string;
  readonly files: Pick<LogFiles, 'list'>;
  readonly catalogue: SegmentCatalogue | undefined;
}

/**
 * Creates a function that returns a time of the oldest line segment and of the oldest Parquet segment of each log. It
 * reads file names only, so most logs are not opened.
 */
export function createOldestFinder({ root, files, catalogue }: OldestFinderOptions) {
  return async (): Promise<readonly OldestSegment[]> => {
    const found: OldestSegment[] = [];
    for (const account of await logFolders(files, root)) {
      for (const deployment of await files.list(join(root, account))) {
        const names = await files.list(join(root, account, deployment));
        const times = names.map(parseSegmentName).find((one) => one !== undefined);
        if (times) found.push({ place: { account, deployment }, endsAt: times.startsAt });
      }
    }
    return [...found, ...((await catalogue?.oldest()) ?? [])];
  };
}

/**
 * Returns the account folders. An object store on the same folder has folders of its own, whose names begin with a dot.
 */
async function logFolders(files: Pick<LogFiles, 'list'>, root: string): Promise<string[]> {
  return (await files.list(root)).filter((name) => !name.startsWith('.'));
}
