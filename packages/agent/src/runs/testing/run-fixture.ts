import type { AgentStores, OwnerKey } from '@berth/agent-store';
import { createSqlStores, openAgentSqlite } from '@berth/agent-store/sql';
import { type Clock, createIdSource, createSilentLogger, type Logger } from '@berth/kit';
import { createFakeClock, type FakeClock } from '@berth/testkit';
import { turnMessages } from '../../turns/turn-messages.ts';
import { createRunEngine, type RunEngine } from '../create-run-engine.ts';
import type { FrameCursor, ReaderEnd, RunEngineOptions, RunFrame, RunReader, StartRun } from '../run-engine.ts';

export const ALICE = 'alice' as OwnerKey;

/** Instances of an agent that share a database and a clock that stands still. */
export interface RunFixture extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly stores: AgentStores;
  /** Another instance; `stores` other than the shared ones, e.g. ones that fail; a `clock` whose timers are late. */
  instance(options?: {
    readonly stores?: AgentStores;
    readonly logger?: Logger;
    readonly clock?: Clock;
    readonly resume?: RunEngineOptions['resume'];
  }): RunEngine;
}

export async function openRunFixture(): Promise<RunFixture> {
  const clock = createFakeClock();
  const stores = createSqlStores(await openAgentSqlite(':memory:', createSilentLogger()));
  const engines: RunEngine[] = [];
  let count = 0;
  return {
    clock,
    stores,
    instance({ stores: own = stores, logger = createSilentLogger(), clock: itsClock = clock, resume } = {}) {
      const engine = createRunEngine({
        store: own.runs,
        clock: itsClock,
        logger,
        ids: createIdSource(clock.nowMs),
        instance: `instance-${++count}`,
        finish: turnMessages,
        ...(resume && { resume }),
      });
      engines.push(engine);
      return engine;
    },
    async [Symbol.asyncDispose]() {
      const closing = Promise.all(engines.map((engine) => engine.close()));
      // A turn that can't be stored is given up after 20 s.
      for (let step = 0; step < 30; step++) await clock.elapse(1_000);
      await closing;
      await stores.close();
    },
  };
}

/** A turn of alice in chat `c1`, with a message that is stored. */
export function turn(produce: StartRun['produce'], changes: Partial<StartRun> = {}): StartRun {
  const message = { message: { role: 'user', content: 'hello' }, title: 'hello' } as const;
  return { owner: ALICE, chatId: 'c1', isDetached: false, message, produce, ...changes };
}

/** What a reader has been given so far, while it goes on. */
export interface Collected {
  readonly frames: RunFrame[];
  readonly batches: number;
  readonly text: string;
  readonly end: ReaderEnd | undefined;
}

/** Reads as fast as it can. */
export function collect(reader: RunReader): Collected {
  const frames: RunFrame[] = [];
  let batches = 0;
  let end: ReaderEnd | undefined;
  const read = async () => {
    for await (const batch of reader) {
      frames.push(...batch);
      batches++;
    }
    end = await reader.ended;
  };
  void read();
  return {
    frames,
    get batches() {
      return batches;
    },
    get text() {
      return frames.map(({ json }) => (JSON.parse(json) as { readonly text?: string }).text ?? '').join('');
    },
    get end() {
      return end;
    },
  };
}

/** Follows alice's chat `c1` from there on. @throws Error when there is nothing to follow. */
export async function follow(engine: RunEngine, after?: FrameCursor): Promise<Collected> {
  const reader = await engine.follow(ALICE, 'c1', after);
  if (!reader) throw new Error('there is nothing to follow');
  return collect(reader);
}
