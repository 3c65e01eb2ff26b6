import path from 'node:path';
import type { OwnerKey } from '@berth/agent-store';
import { createSqlStores, openAgentSqlite } from '@berth/agent-store/sql';
import type { Frame } from '@berth/contract/agent';
import { createSilentLogger } from '@berth/kit';

export interface LeaveTurnOptions {
  readonly dataFolder: string;
  readonly userId: string;
  /** What the person said; `Go` by default. */
  readonly text?: string;
  /** False for a turn in which every write asks; true by default. */
  readonly auto?: boolean;
  /** False for a turn that isn't continued; true by default. */
  readonly isDetached?: boolean;
  readonly costMicroUsd?: number;
}

/** Leaves a turn of the chat `c1` in a data folder, as a process does that was killed a minute ago. */
export async function leaveKilledTurn(
  frames: readonly Frame[],
  { dataFolder, userId, text = 'Go', auto = true, isDetached = true, costMicroUsd }: LeaveTurnOptions,
): Promise<void> {
  const options = { disabledTools: [], auto, connectors: [] };
  const request = { user: { id: userId }, workspaceId: `u-${userId}`, options };
  const stores = createSqlStores(await openAgentSqlite(path.join(dataFolder, '.db'), createSilentLogger()));
  const nowMs = Date.now() - 60_000;
  await stores.runs.begin({
    ...{ id: 'run_1', owner: userId as OwnerKey, chatId: 'c1', instance: 'killed', nowMs, staleBeforeMs: 0 },
    message: { message: { role: 'user', content: text }, title: text },
    ...(isDetached && { request: JSON.stringify(request) }),
  });
  const all: readonly Frame[] = [{ type: 'chat_id', chat_id: 'c1' }, ...frames];
  await stores.runs.append([
    {
      ...{ runId: 'run_1', attempt: 1, firstSeq: 1, frames: all.map((frame) => JSON.stringify(frame)) },
      ...(costMicroUsd !== undefined && { costMicroUsd }),
    },
  ]);
  await stores.close();
}
