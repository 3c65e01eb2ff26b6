import { openSandbox, type Sandbox, type SandboxOptions } from '../open-sandbox.ts';

/**
 * Engines that are kept for the next query of the account they were made for. Invariants:
 * 1. An engine serves one account, one query at a time, and is locked before the first.
 * 2. Whatever ended a query but an answer, and after {@link EnginePoolLimits.queries} of them, its engine ends too.
 */
export interface EnginePool {
  /** Lends an engine of the account's to `work`. @throws what `work` throws, or the engine's error */
  use<Value>(account: string, options: SandboxOptions, work: (engine: Sandbox) => Promise<Value>): Promise<Value>;
  /** Ends the engines that are not lent, and those that are when they come back. Idempotent. */
  close(): void;
}

export interface EnginePoolLimits {
  /** Kept at most, of all accounts: each may hold memory. */
  readonly kept: number;
  /** After so many an engine is replaced by a new one. */
  readonly queries: number;
  /** Not used for so long, an engine ends. */
  readonly idleMs: number;
}

const LIMITS: EnginePoolLimits = { kept: 4, queries: 200, idleMs: 15_000 };

interface Kept {
  readonly account: string;
  /** Of the options it was made with. */
  readonly text: string;
  readonly engine: Sandbox;
  queries: number;
  timer?: NodeJS.Timeout;
}

export function createEnginePool(limits: EnginePoolLimits = LIMITS): EnginePool {
  /** The one used last at the end. */
  const kept: Kept[] = [];
  let isClosed = false;

  function take(account: string, text: string): Kept | undefined {
    const index = kept.findLastIndex((one) => one.account === account && one.text === text);
    if (index === -1) return undefined;
    const [found] = kept.splice(index, 1);
    clearTimeout(found?.timer);
    return found;
  }

  function end(one: Kept): void {
    const index = kept.indexOf(one);
    if (index !== -1) kept.splice(index, 1);
    clearTimeout(one.timer);
    one.engine.close();
  }

  function keep(one: Kept): void {
    one.queries++;
    if (isClosed || one.queries >= limits.queries) {
      end(one);
      return;
    }
    kept.push(one);
    one.timer = setTimeout(() => end(one), limits.idleMs);
    const oldest = kept[0];
    if (kept.length > limits.kept && oldest) end(oldest);
  }

  return {
    async use(account, options, work) {
      const text = JSON.stringify(options);
      const one = take(account, text) ?? { account, text, engine: await openSandbox(options), queries: 0 };
      try {
        const value = await work(one.engine);
        keep(one);
        return value;
      } catch (error) {
        end(one);
        throw error;
      }
    },
    close() {
      isClosed = true;
      for (const one of [...kept]) end(one);
    },
  };
}
