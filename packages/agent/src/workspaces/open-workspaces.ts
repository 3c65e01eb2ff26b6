import type { AgentStores } from '@berth/agent-store';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { WorkspaceStorage } from '../storage/create-workspace-storage.ts';
import { createWorkspaceRegistry } from './create-workspace-registry.ts';
import { createPeopleRecorder } from './people-recorder.ts';
import { createWorkspacePurge } from './workspace-purge.ts';
import type { WorkspaceRegistry } from './workspace-registry.ts';

/** Options of {@link openWorkspaces}. */
export interface OpenWorkspacesOptions {
  /** Who may create a team: every member, or only admins of an organization. */
  readonly policy: 'member' | 'admin';
  readonly stores: Pick<AgentStores, 'workspaces'>;
  readonly storage: Pick<WorkspaceStorage, 'remove'>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

/** The running workspaces of an agent. */
export interface OpenWorkspaces {
  readonly registry: WorkspaceRegistry;
  /** Stops the purge after its current pass. */
  close(): Promise<void>;
}

/** Opens the workspaces of an agent that has teams, and resumes deleting the data of removed ones. */
export function openWorkspaces(options: OpenWorkspacesOptions): OpenWorkspaces {
  const { policy, stores, storage, clock, ids, logger } = options;
  const store = stores.workspaces;
  const purge = createWorkspacePurge({ store, removeFiles: storage.remove, clock, logger });
  const people = createPeopleRecorder({ store, clock, logger });
  const registry = createWorkspaceRegistry({ store, people, policy, clock, ids, logger, onRemoved: purge.start });
  purge.start();
  return { registry, close: purge.close };
}
