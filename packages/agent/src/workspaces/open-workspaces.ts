import type { AgentDeps } from '../http/agent-deps.ts';
import { createWorkspaceRegistry } from './create-workspace-registry.ts';
import { createGreeter } from './greeter.ts';
import { createWorkspacePurge } from './workspace-purge.ts';
import type { WorkspaceRegistry } from './workspace-registry.ts';

export interface OpenWorkspaces {
  readonly registry: WorkspaceRegistry;
  close(): Promise<void>;
}

/** The workspaces of an agent that has teams; goes on with taking away what deleted ones kept. */
export function openWorkspaces(
  { clock, ids, logger, stores, storage }: Pick<AgentDeps, 'clock' | 'ids' | 'logger' | 'stores' | 'storage'>,
  policy: 'member' | 'admin',
): OpenWorkspaces {
  const store = stores.workspaces;
  const purge = createWorkspacePurge({ store, removeFiles: storage!.remove, clock, logger });
  const greeter = createGreeter({ store, clock, logger });
  const registry = createWorkspaceRegistry({ store, greeter, policy, clock, ids, logger, onRemoved: purge.start });
  purge.start();
  return { registry, close: purge.close };
}
