import type { Clock } from '@berth/kit';
import type { RouteGuard } from '../../http/require-user.ts';
import type { RunEngine } from '../../runs/run-engine.ts';
import type { AgentStores } from '../../store/agent-stores.ts';

/** What the routes of stored chats stand on. */
export interface ChatRouteDeps extends RouteGuard {
  readonly stores: Pick<AgentStores, 'chats'>;
  readonly runs: RunEngine;
  readonly clock: Clock;
}
