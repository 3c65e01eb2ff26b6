import type { LogStore, StoredEntry } from '@berth/logstore';
import { FAILURE_LOG_LINES } from '../records/deploy-failure.ts';

/** Entries read at once. Source: the port's limit. */
const PAGE_ENTRIES = 1000;
/** Pages read at most, from the start of the deploy: 20,000 request entries meanwhile would hide the first lines. */
const MAX_PAGES = 20;

export interface InstanceOutputQuery {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  /** When the revision was started, wall time. */
  readonly sinceMs: number;
}

/**
 * Returns the last lines that the instances of a revision printed since it was started, oldest first; none when the log store
 * fails, since the failure that they explain must be reported anyway.
 */
export async function readInstanceOutput(logs: LogStore, query: InstanceOutputQuery): Promise<string[]> {
  const scope = { account: query.account, deployment: query.deployment };
  const isWanted = (entry: StoredEntry) =>
    entry.revision === query.revision && (entry.logName === 'stdout' || entry.logName === 'stderr');
  let lines: string[] = [];
  try {
    let since = new Date(query.sinceMs).toISOString();
    for (let page = 0; page < MAX_PAGES; page++) {
      const entries = await logs.read(scope, { since, limit: PAGE_ENTRIES });
      lines = [...lines, ...entries.filter(isWanted).map((entry) => entry.message)].slice(-FAILURE_LOG_LINES);
      const last = entries.at(-1);
      if (!last || entries.length < PAGE_ENTRIES) break;
      since = last.timestamp;
    }
  } catch {
    return lines;
  }
  return lines;
}
