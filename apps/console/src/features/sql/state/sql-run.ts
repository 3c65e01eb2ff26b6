import type { Client } from '@berth/client';
import type { SqlRow } from '@berth/contract';
import { createStore } from '@berth/ui/store';

/** State of the current query. */
export interface RunState {
  readonly status: 'idle' | 'running' | 'done' | 'failed' | 'cancelled';
  /** The query that was run; the position of its error refers to this text. */
  readonly query: string;
  readonly rows: readonly SqlRow[];
  readonly error: unknown;
  readonly tookMs: number;
}

/** Runner of one query at a time. Starting a query cancels the previous one. */
export interface SqlRun {
  getState(): RunState;
  subscribe(listener: () => void): () => void;
  run(query: string): Promise<void>;
  /** Cancels the query. The server stops a query whose client disconnects. */
  cancel(): void;
}

/** Returns an idle runner. `nowMs` measures how long queries take. */
export function createSqlRun(client: Pick<Client, 'post'>, nowMs: () => number): SqlRun {
  const store = createStore<RunState>({ status: 'idle', query: '', rows: [], error: undefined, tookMs: 0 });
  let current: AbortController | undefined;
  return {
    getState: () => store.get(),
    subscribe: store.subscribe,
    async run(query) {
      current?.abort();
      const mine = new AbortController();
      current = mine;
      const startedAtMs = nowMs();
      store.set({ status: 'running', query, rows: [], error: undefined, tookMs: 0 });
      const end = (outcome: Pick<RunState, 'status' | 'rows' | 'error'>) => {
        if (current === mine) store.set({ ...outcome, query, tookMs: nowMs() - startedAtMs });
      };
      try {
        const rows = await client.post('/v1/sql', { body: { query }, signal: mine.signal });
        end({ status: 'done', rows, error: undefined });
      } catch (error) {
        const isCancelled = mine.signal.aborted;
        end({ status: isCancelled ? 'cancelled' : 'failed', rows: [], error: isCancelled ? undefined : error });
      }
    },
    cancel: () => current?.abort(new DOMException('cancelled', 'AbortError')),
  };
}
