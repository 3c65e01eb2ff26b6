import type { NewMessage, RunStore, StoredRun } from '@berth/agent-store';
import { type ComponentFrame, mergeFrames } from '@berth/contract/agent';
import { readLogged } from './read-logged.ts';
import type { EndedRun } from './run-engine.ts';

const BYTES_AT_ONCE = 1_048_576;
const NO_PARTS: ReadonlySet<string> = new Set(['chat_id', 'ping', 'ui']);

export interface SettleStaleOptions {
  readonly store: RunStore;
  /** A heartbeat before this is not of a living producer. */
  readonly staleBeforeMs: number;
  readonly nowMs: number;
  readonly keepFramesUntilMs: number;
  finish(run: EndedRun): readonly NewMessage[];
}

/**
 * Ends a run whose producer is gone: what it said by then becomes the message, its status `interrupted`. Of several
 * instances that find it at once one does; false for the others, and when the producer lives after all.
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
