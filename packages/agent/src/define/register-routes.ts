import { registerAppDataRoutes } from '../app-data/register-app-data-routes.ts';
import { registerApprovalRoutes } from '../approvals/register-approval-routes.ts';
import { registerChatRoutes } from '../chat/register-chat-routes.ts';
import { registerChatsRoutes } from '../chats/register-chats-routes.ts';
import { registerCompletionRoutes } from '../completions/register-completion-routes.ts';
import { registerConnectorRoutes } from '../connectors/directory/register-connector-routes.ts';
import { registerFetchRoutes } from '../connectors/fetch/register-fetch-routes.ts';
import { registerOAuthRoutes } from '../connectors/oauth/register-oauth-routes.ts';
import { registerConnectorListRoutes } from '../connectors/turn/register-list-routes.ts';
import { registerFileRoutes } from '../files/register-file-routes.ts';
import type { AgentApp } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { registerMetadataRoutes } from '../metadata/register-metadata-routes.ts';
import { registerPublicFiles } from '../metadata/register-public-files.ts';
import { registerPageRoutes } from '../page/register-page-routes.ts';
import { registerShareRoutes } from '../shares/register-share-routes.ts';
import { registerToolSettingRoutes } from '../tool-settings/register-tool-setting-routes.ts';
import { registerWorkspaceRoutes } from '../workspaces/register-workspace-routes.ts';

/** Every route of the contract. Those of state are there for an agent with `auth` only. Source: docs/contract/agent-api.md §1. */
export function registerRoutes(app: AgentApp, deps: AgentDeps): void {
  // Chat, completions, transcription and metadata: registered here, one line a feature.
  registerChatRoutes(app, deps);
  registerApprovalRoutes(app, deps);
  registerCompletionRoutes(app, deps);
  registerMetadataRoutes(app, deps);
  if (!deps.authenticator) return;
  // Chats, files, trash, shares, app data, tool settings: registered here, one line a feature.
  registerChatsRoutes(app, deps);
  registerFileRoutes(app, deps);
  registerShareRoutes(app, deps);
  registerToolSettingRoutes(app, deps);
  registerAppDataRoutes(app, deps);
  registerConnectorRoutes(app, deps);
  registerConnectorListRoutes(app, deps);
  registerOAuthRoutes(app, deps);
  registerFetchRoutes(app, deps);
  registerWorkspaceRoutes(app, deps);
}

/** What is served where neither the contract nor the owner has a route: the page and the public files. */
export function registerSiteRoutes(app: AgentApp, deps: AgentDeps): void {
  registerPageRoutes(app, deps);
  registerPublicFiles(app, deps);
  // The page and the public folder: registered here, one line a feature.
}
