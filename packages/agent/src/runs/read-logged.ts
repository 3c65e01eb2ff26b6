import type { OwnerKey, RunStore } from '@berth/agent-store';
import type { RunFrame } from './run-engine.ts';

/** Batches that are asked for at once; one has what came in 100 ms. */
const BATCHES_AT_ONCE = 64;

/** Frames of the log after `afterSeq`, in order, up to about `maxBytes`; at least one when there is one. */
export async function readLogged(
  store: Pick<RunStore, 'frames'>,
  owner: OwnerKey,
  runId: string,
  afterSeq: number,
  maxBytes: number,
): Promise<readonly RunFrame[]> {
  const found: RunFrame[] = [];
  let bytes = 0;
  for (const { firstSeq, frames } of await store.frames(owner, runId, afterSeq, BATCHES_AT_ONCE)) {
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
