import { createSystemClock } from '@berth/kit';
import type { StoredEntry } from '@berth/logstore';
import { openLogStore } from '../open-log-store.ts';
import type { LoggedRequest } from './judge.ts';

/** What the logs of some deployments say of requests and of crashes. */
export interface RequestLog {
  readonly requests: readonly LoggedRequest[];
  /** Epoch milliseconds of each instance's crash, by its id. */
  readonly crashedAtMs: ReadonlyMap<string, number>;
}

const PAGE = 1_000;

/** Reads them from the data folder of a server that has stopped: its logs have one writer. */
export async function readRequestLog(
  dataFolder: string,
  account: string,
  deployments: readonly string[],
): Promise<RequestLog> {
  const { logs, close } = await openLogStore(dataFolder, createSystemClock());
  const requests: LoggedRequest[] = [];
  const crashedAtMs = new Map<string, number>();
  const take = ({ timestamp, httpRequest, instance, trace, message }: StoredEntry) => {
    const endedAtMs = Date.parse(`${timestamp.slice(0, 23)}Z`);
    if (message.startsWith('Instance crashed') && instance !== undefined) crashedAtMs.set(instance, endedAtMs);
    if (!httpRequest || trace === undefined) return;
    const { status, latencyMs } = httpRequest;
    const startedAtMs = endedAtMs - latencyMs;
    requests.push({ trace, status, startedAtMs, endedAtMs, ...(instance === undefined ? {} : { instance }) });
  };
  try {
    for (const deployment of deployments) {
      let since = new Date(0).toISOString();
      for (;;) {
        const page = await logs.read({ account, deployment }, { since, limit: PAGE });
        page.forEach(take);
        const last = page.at(-1);
        if (last === undefined) break;
        since = last.timestamp;
      }
    }
  } finally {
    await close();
  }
  return { requests, crashedAtMs };
}
