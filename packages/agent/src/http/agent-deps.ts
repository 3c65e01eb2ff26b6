import type { Clock, IdSource, Logger } from '@berth/kit';
import type { AgentConnectors } from '../connectors/agent-connectors.ts';
import type { AgentOptions } from '../define/agent-options.ts';
import type { Authenticator } from '../define/authenticator.ts';
import type { Handler } from '../define/handler-context.ts';
import type { WorkspaceStorage } from '../files/create-workspace-storage.ts';
import type { Outbound } from '../outbound/create-outbound.ts';
import type { OfficeFiles } from '../render/office-files.ts';
import type { RunEngine } from '../runs/run-engine.ts';
import type { AgentStores } from '../store/agent-stores.ts';
import type { MembershipWatch } from '../workspaces/access/membership-watch.ts';
import type { WorkspaceRegistry } from '../workspaces/workspace-registry.ts';

/** What routes are made of. Each `register…Routes(app, deps)` takes what it needs of it. */
export interface AgentDeps {
  readonly options: AgentOptions;
  /** What answers turns: the agent's own handler, or the loop around its model. */
  readonly handler: Handler;
  /** Undefined for an agent without `auth`. */
  readonly authenticator: Authenticator | undefined;
  readonly stores: AgentStores;
  readonly runs: RunEngine;
  /** Undefined for an agent without `auth`. */
  readonly storage: WorkspaceStorage | undefined;
  /** Undefined for an agent without `auth`. */
  readonly office: OfficeFiles | undefined;
  /** Undefined unless the agent has workspaces of teams. */
  readonly registry: WorkspaceRegistry | undefined;
  /** Looks after what is open in them; there where the registry is. */
  readonly watch: MembershipWatch | undefined;
  /** Undefined unless connectors are declared, and for an agent without `auth`. */
  readonly connectors: AgentConnectors | undefined;
  /** The only way out of the agent for what people, models and other people's servers name. */
  readonly outbound: Outbound;
  /** Absolute path; `workspaces/` in it has a folder for each owner, see `workspaceOf`. */
  readonly dataFolder: string;
  /** Absolute; relative paths of the owner's start here. */
  readonly workingFolder: string;
  readonly isProduction: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}
