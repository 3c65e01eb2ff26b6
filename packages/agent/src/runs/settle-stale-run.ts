import type { NewMessage, RunStore, StoredRun } from '@berth/agent-store';
import { type ComponentFrame, mergeFrames } from '@berth/contract/agent';
import { readLogged } from './read-logged.ts';
import type { EndedRun } from './run-engine.ts';

const BYTES_AT_ONCE = 1_048_576;
const NO_PARTS: ReadonlySet<string> = new Set(['chat_id', 'ping', 'ui']);

export interface SettleStaleOptions {
  readonly store: RunStore;
  /** A run with an older heartbeat has lost its producer. */
  readonly staleBeforeMs: number;
  readonly nowMs: number;
  readonly keepFramesUntilMs: number;
  finish(run: EndedRun): readonly NewMessage[];
}

/**
 * Settles a run whose producer is gone: its logged frames become the message, with the status `interrupted`. When several
 * instances find the run, one settles it; returns false in the others, and when the producer turns out to be alive.
 */
export async function settleStaleRun(run: StoredRun, options: SettleStaleOptions): Promise<boolean> {
  const { store, staleBeforeMs, nowMs, keepFramesUntilMs, finish } = options;
  const frames: ComponentFrame[] = [];
  for (let afterSeq = 0; ; ) {
    const some = await readLogged(store, run.owner, run.id, afterSeq, BYTES_AT_ONCE);
    const last = some.at(-1);
    if (!last) break;
    afterSeq = last.seq;
    for (const { json } of some) {
      const frame = JSON.parse(json) as { readonly type: string };
      if (!NO_PARTS.has(frame.type)) frames.push(frame as ComponentFrame);
    }
  }
  const status = 'interrupted';
  const parts = mergeFrames(frames);
  const messages = finish({ runId: run.id, chatId: run.chatId, status, parts });
  return store.settle(run.id, { status, messages, costMicroUsd: 0, nowMs, keepFramesUntilMs, staleBeforeMs });
}
