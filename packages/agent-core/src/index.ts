export { fileKind, mediaType } from './files/file-kind.ts';
export { findPlace, lstatIn, makeFolder, makePlace, type Named } from './files/find-place.ts';
export { type OpenFile, openFile } from './files/open-file.ts';
export { toFileEntry } from './files/to-file-entry.ts';
export {
  ancestorsOf,
  childOf,
  isWithin,
  nameOf,
  parseFolderPath,
  parseWorkspacePath,
  partsOf,
  ROOT,
  type WorkspacePath,
} from './files/workspace-path.ts';
export type { Component, HandlerItem } from './handler/component.ts';
export { callout, code, image, sources, status, step, table, thinking, ui } from './handler/components.ts';
export type { Handler, HandlerContext, TurnOptions, TurnResult, Usage, Workspace } from './handler/handler-context.ts';
export type { TurnMessage } from './handler/turn-message.ts';
export type { AgentApp, AgentAppContext, AgentEnv } from './http/agent-app.ts';
export { bearerToken, unauthenticated } from './http/bearer-token.ts';
export { createApp } from './http/create-app.ts';
export { defineRoute } from './http/define-route.ts';
export { publicOrigin } from './http/public-origin.ts';
export { pathAfter, rawPath } from './http/raw-path.ts';
export { type RouteGuard, requireUser } from './http/require-user.ts';
export { type ActiveWorkspace, personalWorkspace } from './identity/active-workspace.ts';
export type { AuthContext, Authenticator, AuthProvider } from './identity/authenticator.ts';
export type { MembershipWatch } from './identity/membership-watch.ts';
export type { User } from './identity/user.ts';
export type { Caller, WorkspaceAccess } from './identity/workspace-access.ts';
export { createOutbound, type Outbound, type OutboundOptions } from './outbound/create-outbound.ts';
export { createOwnerOutbound } from './outbound/create-owner-outbound.ts';
export { probeSandbox, type SandboxProbe } from './sandbox/probe-sandbox.ts';
export { runSandboxed } from './sandbox/run-sandboxed.ts';
export { INSIDE } from './sandbox/sandbox-arguments.ts';
export { canonicalJson } from './text/canonical-json.ts';
export { escapeXml } from './text/escape-xml.ts';
export { safeLine, safeName, safeText } from './text/safe-text.ts';
export type { ConnectorHandle, ConnectorRequest } from './tools/connector-handle.ts';
export { defineTool, type ToolDefinition } from './tools/define-tool.ts';
export type { ModelTool, OfferedTools, ToolDecision } from './tools/offered-tools.ts';
export { type Tool, type ToolContext, ToolError, type ToolRisk } from './tools/tool.ts';
export type { ToolFiles } from './tools/tool-files.ts';
export type { ToolServices } from './tools/tool-services.ts';
