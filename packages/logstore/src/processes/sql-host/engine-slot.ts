import { openSandbox, type Sandbox, type SandboxOptions } from '../../query/sql/open-sandbox.ts';

/**
 * Keeps an engine for the next query of the same account.
 *
 * Invariants:
 * 1. There is one engine at a time. It serves one account, one query at a time, and is locked down before the first.
 * 2. Any end of a query other than a result also ends its engine, and so do {@link EngineSlotLimits.queries} results.
 */
export interface EngineSlot {
  /**
   * Lends an engine of the account to `work`. Calls must not overlap.
   * @throws what `work` throws, or the engine's error.
   */
  use<Value>(account: string, options: SandboxOptions, work: (engine: Sandbox) => Promise<Value>): Promise<Value>;
  /** Ends the engine now, or when it is returned. Idempotent. */
  close(): void;
}

export interface EngineSlotLimits {
  /** An engine is replaced after this many queries. */
  readonly queries: number;
  /** An engine ends after this long without use. */
  readonly idleMs: number;
}

const LIMITS: EngineSlotLimits = { queries: 200, idleMs: 15_000 };

interface Kept {
  /** The account and options of the engine, as text. */
  readonly text: string;
  readonly engine: Sandbox;
  queries: number;
  timer?: NodeJS.Timeout;
}

export function createEngineSlot(limits: EngineSlotLimits = LIMITS): EngineSlot {
  let kept: Kept | undefined;
  let isClosed = false;

  function end(): void {
    clearTimeout(kept?.timer);
    kept?.engine.close();
    kept = undefined;
  }

  return {
    async use(account, options, work) {
      const text = JSON.stringify([account, options]);
      // The previous account's engine returns its memory before the next one takes any.
      if (kept?.text !== text) end();
      const one: Kept = kept ?? { text, engine: await openSandbox(options), queries: 0 };
      clearTimeout(one.timer);
      kept = undefined;
      try {
        const value = await work(one.engine);
        kept = one;
        one.queries++;
        if (isClosed || one.queries >= limits.queries) end();
        else one.timer = setTimeout(end, limits.idleMs);
        return value;
      } catch (error) {
        one.engine.close();
        throw error;
      }
    },
    close() {
      isClosed = true;
      end();
    },
  };
}
