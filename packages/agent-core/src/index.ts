export { fileKind, mediaType } from './files/file-kind.ts';
export { findPlace, lstatIn, makeFolder, makePlace, type Named } from './files/find-place.ts';
export { type OpenFile, openFile, toFileEntry } from './files/open-file.ts';
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
export { BudgetUsed } from './handler/budget-used.ts';
export { callout, code, component, image, sources, status, step, table, thinking, ui } from './handler/components.ts';
export type {
  ClientTurn,
  Component,
  Handler,
  HandlerContext,
  HandlerItem,
  ModelTool,
  OutputFormat,
  ResumedTurn,
  TurnMessage,
  TurnOptions,
  TurnResult,
  Usage,
  Workspace,
} from './handler/handler-context.ts';
export type { AgentApp, AgentAppContext, AgentEnv } from './http/agent-app.ts';
export { bearerToken, unauthenticated } from './http/bearer-token.ts';
export { createApp } from './http/create-app.ts';
export { publicOrigin } from './http/public-origin.ts';
export { pathAfter, rawPath } from './http/raw-path.ts';
export { type RouteGuard, requireUser } from './http/require-user.ts';
export { routesOf } from './http/routes-of.ts';
export type { AuthContext, Authenticator, AuthProvider } from './identity/authenticator.ts';
export type { User } from './identity/user.ts';
export type { Caller, MembershipWatch, WorkspaceAccess } from './identity/workspace-access.ts';
export { type ActiveWorkspace, personalWorkspace } from './identity/workspace-access.ts';
export {
  createOutbound,
  createOwnerOutbound,
  type Outbound,
  type OutboundOptions,
} from './outbound/create-outbound.ts';
export {
  INSIDE,
  probeSandbox,
  runSandboxed,
  type SandboxProbe,
  SKILLS_INSIDE,
  spawnSandboxed,
} from './sandbox/run-sandboxed.ts';
export { canonicalJson } from './text/canonical-json.ts';
export { escapeXml } from './text/escape-xml.ts';
export { safeLine, safeName, safeText } from './text/safe-text.ts';
export { defineTool, type ToolDefinition } from './tools/define-tool.ts';
export type {
  ConnectorHandle,
  ConnectorRequest,
  OfferedTools,
  ToolDecision,
  ToolFiles,
  ToolMemory,
  ToolServices,
} from './tools/tool.ts';
export { isRepeatable, type Tool, type ToolContext, ToolError, type ToolRisk } from './tools/tool.ts';
export { isContentCaptured, type OpenSpan, openSpan, serverAttributes, withSpan } from './tracing/open-span.ts';
export { continueTrace, traceHeaders } from './tracing/trace-headers.ts';
export { traceFieldsOf, traceLogger } from './tracing/trace-logger.ts';
