import type { AgentConfig } from '@berth/contract/agent';
import { createRequiredContext } from '@berth/ui';
import type { GuardedSession } from '../session/session-guard.ts';
import type { Api } from './api.ts';
import type { PutFile } from './put-file.ts';

/** The agent that the page belongs to, and who talks to it. */
export interface Agent {
  readonly config: AgentConfig;
  readonly api: Api;
  readonly putFile: PutFile;
  readonly session: GuardedSession;
  /** The team that the person works in; undefined for their personal workspace. */
  readonly teamId: string | undefined;
}

/** The agent of the page; one object for as long as the page lives. */
export const [AgentContext, useAgent] = createRequiredContext<Agent>('AgentContext');
