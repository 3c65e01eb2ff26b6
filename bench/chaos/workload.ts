import { setTimeout as sleep } from 'node:timers/promises';

/** Something that clients do again and again, and what must be true of it in the end. */
export interface Workload {
  readonly kind: string;
  /** Number of things that were acknowledged. */
  readonly acknowledged: number;
  stop(): Promise<void>;
  /** Looks everything up that was acknowledged. Returns what is wrong, one sentence each. */
  verify(): Promise<readonly string[]>;
}

/** Options of {@link startWorkload}. */
export interface WorkloadOptions<Item> {
  readonly kind: string;
  /** Time between the end of a turn and the start of the next. */
  readonly everyMs: number;
  /** Does it once. Returns what was acknowledged; undefined when nothing was. */
  act(turn: number): Promise<Item | undefined>;
  /** Returns what is wrong with the items that were acknowledged. */
  verify(items: readonly Item[]): Promise<readonly string[]>;
}

/** Starts a workload, which runs until it is stopped. */
export function startWorkload<Item>({ kind, everyMs, act, verify }: WorkloadOptions<Item>): Workload {
  const items: Item[] = [];
  const faults: string[] = [];
  const stopping = new AbortController();
  const run = async () => {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      try {
        const item = await act(turn);
        if (item !== undefined) items.push(item);
      } catch (error) {
        faults.push(
          `${kind} ${turn}: ${error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : error}`,
        );
      }
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    kind,
    get acknowledged() {
      return items.length;
    },
    async stop() {
      stopping.abort();
      await running;
    },
    verify: async () => [...faults, ...(await verify(items))],
  };
}
