import { createError, createValidationError, type LogEntry, logQuerySchema } from '@berth/contract';
import type { AccountId } from '@berth/kit';
import {
  FilterError,
  type LogScope,
  type LogStore,
  normalizeTimestamp,
  parseFilter,
  type StoredEntry,
} from '@berth/logstore';
import type { DeploymentStore } from '../deployments/store/deployment-store.ts';

/** The dependencies of the log routes. */
export interface LogRouteDeps {
  readonly logs: LogStore;
  readonly deployments: Pick<DeploymentStore, 'ownership'>;
}

/** Characters of a name in a message; a caller may send any text as a name. */
const SHOWN_NAME_CHARACTERS = 100;

/**
 * Returns the log of a name that an account may read: of its deployment, or of its own deleted deployment while the
 * name is free and entries are kept.
 * @throws `forbidden` when the name belongs to another account, `not_found` when it stands for no log.
 */
export async function getReadableScope(
  { logs, deployments }: LogRouteDeps,
  account: AccountId,
  name: string,
): Promise<LogScope> {
  const scope = { account, deployment: name };
  const shownName = name.slice(0, SHOWN_NAME_CHARACTERS);
  const ownership = await deployments.ownership(account, name);
  if (ownership === 'own') return scope;
  if (ownership === 'other') throw createError('forbidden', `The name "${shownName}" belongs to another account.`);
  const [entry] = await logs.read(scope, { limit: 1 });
  if (!entry) throw createError('not_found', `No deployment is named "${shownName}".`);
  return scope;
}

/** A log filter that `parseFilter` accepts; otherwise an issue names the column. */
export const logFilterSchema = logQuerySchema.superRefine((query, context) => {
  try {
    parseFilter(query);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    context.addIssue({ code: 'custom', message: error.message, params: { type: 'query_invalid' } });
  }
});

/** Parses a request's range of times into epoch milliseconds. @throws `invalid` for an empty range. */
export function parseLogSpan(
  { since, until }: { readonly since: string; readonly until?: string | null | undefined },
  nowMs: number,
): { readonly fromMs: number; readonly untilMs: number } {
  const fromMs = Date.parse(normalizeTimestamp(since));
  const untilMs = until ? Date.parse(normalizeTimestamp(until)) : nowMs;
  if (untilMs > fromMs) return { fromMs, untilMs };
  const loc = ['body', until ? 'until' : 'since'];
  throw createValidationError([{ loc, msg: 'the end must be after the start', type: 'span_empty' }]);
}

/** Maps an entry to the API's shape. Source: docs/contract/control-plane.md §6. */
export function toLogEntry({ timestamp, severity, message, instance }: StoredEntry, hasInstance: boolean): LogEntry {
  return { timestamp, severity, message, ...(hasInstance && { instance: instance ?? null }) };
}
