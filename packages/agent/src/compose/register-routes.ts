import {
  type ConnectorRouteDeps,
  type OpenConnectors,
  registerConnectorRoutes,
  type SecretRing,
} from '@berth/agent-connectors';
import type { AgentApp } from '@berth/agent-core';
import type { OfficeFiles } from '@berth/agent-render';
import type { OwnerKey } from '@berth/agent-store';
import { type AppDataRouteDeps, registerAppDataRoutes } from '../app-data/register-app-data-routes.ts';
import { type ApprovalRouteDeps, registerApprovalRoutes } from '../approvals/register-approval-routes.ts';
import { type BusyRouteDeps, registerBusyRoute } from '../busy/register-busy-route.ts';
import type { ChatRouteDeps } from '../chats/routes/chat-route.ts';
import { registerChatRoutes } from '../chats/routes/register-chat-routes.ts';
import { type CompletionRouteDeps, registerCompletionRoutes } from '../completions/register-completion-routes.ts';
import { type FileRoutesOptions, registerFileRoutes } from '../files/routes/register-file-routes.ts';
import { workspaceFolder } from '../files/workspace-folder.ts';
import { type MemoryRouteDeps, registerMemoryRoutes } from '../memory/register-memory-routes.ts';
import { type MetadataRouteDeps, registerMetadataRoutes } from '../metadata/register-metadata-routes.ts';
import { type PublicFilesDeps, registerPublicFiles } from '../metadata/register-public-files.ts';
import { type PageRouteDeps, registerPageRoutes } from '../page/register-page-routes.ts';
import { registerShareRoutes } from '../shares/register-share-routes.ts';
import { registerSkillRoutes, type SkillRouteDeps } from '../skills/register-skill-routes.ts';
import type { WorkspaceStorage } from '../storage/create-workspace-storage.ts';
import { registerToolSettingRoutes, type ToolSettingRouteDeps } from '../tool-settings/register-tool-setting-routes.ts';
import { createToolFiles } from '../tools/files/create-tool-files.ts';
import { registerTrashRoutes } from '../trash/register-trash-routes.ts';
import type { ContinueRouteDeps } from '../turns/routes/continue.ts';
import { registerTurnRoutes } from '../turns/routes/register-turn-routes.ts';

import { registerWorkspaceRoutes, type WorkspaceRouteDeps } from '../workspaces/register-workspace-routes.ts';

/** Dependencies that the routes of all features need, together. */
export type RouteDeps = ContinueRouteDeps &
  ApprovalRouteDeps &
  CompletionRouteDeps &
  MetadataRouteDeps &
  BusyRouteDeps &
  ChatRouteDeps &
  ToolSettingRouteDeps &
  AppDataRouteDeps &
  Omit<ConnectorRouteDeps, keyof OpenConnectors> &
  WorkspaceRouteDeps &
  MemoryRouteDeps &
  Omit<SkillRouteDeps, 'filesOf'> &
  Pick<FileRoutesOptions, 'maxUploadMb'> & {
    /** Undefined for an agent without `auth`. */
    readonly storage: WorkspaceStorage | undefined;
    /** Returns the keys that seal the tokens of shares. */
    openSecrets(): Promise<SecretRing>;
    /** Undefined for an agent without `auth`. */
    readonly office: OfficeFiles | undefined;
    /** Undefined unless connectors are declared, and for an agent without `auth`. */
    readonly connectors: OpenConnectors | undefined;
  };

/** Registers every route of the contract. Those of state exist for an agent with `auth` only. Source: docs/contract/agent-api.md §1. */
export function registerRoutes(app: AgentApp, deps: RouteDeps): void {
  registerTurnRoutes(app, deps);
  registerApprovalRoutes(app, deps);
  registerCompletionRoutes(app, deps);
  registerMetadataRoutes(app, deps);
  registerBusyRoute(app, deps);
  const { authenticator, storage, office, connectors } = deps;
  if (!authenticator || !storage || !office) return;
  registerChatRoutes(app, deps);
  registerFileRoutes(app, { ...deps, ...storage, office });
  registerTrashRoutes(app, { ...deps, ...storage });
  registerShareRoutes(app, { ...deps, ...storage, authenticator, office });
  registerToolSettingRoutes(app, deps);
  registerAppDataRoutes(app, deps);
  if (connectors) registerConnectorRoutes(app, { ...deps, ...connectors });
  const filesOf = (owner: OwnerKey) =>
    createToolFiles({ ...storage, owner, folder: workspaceFolder(deps.dataFolder, owner) });
  registerMemoryRoutes(app, deps);
  registerSkillRoutes(app, { ...deps, filesOf });
  registerWorkspaceRoutes(app, deps);
}

/** Registers what is served where neither the contract nor the owner has a route: the page and the public files. */
export function registerSiteRoutes(app: AgentApp, deps: PageRouteDeps & PublicFilesDeps): void {
  registerPageRoutes(app, deps);
  registerPublicFiles(app, deps);
}
