import type { RouteGuard } from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import type { Clock } from '@berth/kit';
import type { RunEngine } from '../../runs/create-run-engine.ts';

/** Dependencies of the routes of stored chats. */
export interface ChatRouteDeps extends RouteGuard {
  readonly stores: Pick<AgentStores, 'chats' | 'approvals' | 'feedback'>;
  readonly runs: RunEngine;
  readonly clock: Clock;
}
