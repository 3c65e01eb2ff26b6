import type { OwnerKey, RunStore } from '@berth/agent-store';
import type { RunFrame } from './run-engine.ts';

/** Batches per query; each holds the frames of 100 ms. */
const BATCHES_AT_ONCE = 64;

/** Reads frames of the log after `afterSeq`, in order, up to about `maxBytes` and at least one if there is any. */
export async function readLogged(
  store: Pick<RunStore, 'frames'>,
  run: { readonly owner: OwnerKey; readonly id: string },
  afterSeq: number,
  maxBytes: number,
): Promise<readonly RunFrame[]> {
  const found: RunFrame[] = [];
  let bytes = 0;
  for (const { firstSeq, frames } of await store.frames(run.owner, run.id, afterSeq, BATCHES_AT_ONCE)) {
    for (const [index, json] of frames.entries()) {
      const seq = firstSeq + index;
      if (seq <= afterSeq) continue;
      if (bytes >= maxBytes) return found;
      found.push({ seq, json });
      bytes += json.length;
    }
  }
  return found;
}
