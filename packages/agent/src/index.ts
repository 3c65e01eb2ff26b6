export {
  type Connector,
  type KeyOptions,
  key,
  type McpOptions,
  mcp,
  type OAuthOptions,
  oauth,
} from '@berth/agent-connectors';
export {
  type AuthContext,
  type Authenticator,
  type AuthProvider,
  BudgetUsed,
  type Component,
  type ConnectorHandle,
  type ConnectorRequest,
  callout,
  code,
  component,
  defineTool,
  type Handler,
  type HandlerContext,
  type HandlerItem,
  image,
  type OutputFormat,
  type ResumedTurn,
  sources,
  status,
  step,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  ToolError,
  type ToolRisk,
  type TurnOptions,
  table,
  thinking,
  type Usage,
  type User,
  ui,
  type Workspace,
} from '@berth/agent-core';
export { type OwnerKey, ownerKey } from '@berth/agent-store';
export { z } from 'zod';
export { berth } from './auth/berth.ts';
export { dev } from './auth/dev.ts';
export { type OidcOptions, oidc } from './auth/oidc.ts';
export type { IntrospectionOptions } from './auth/opaque-tokens.ts';
export type { BudgetLimit, BudgetOptions } from './budgets/create-budgets.ts';
export type { Agent, CloseOptions, Listening, ListenOptions } from './compose/agent.ts';
export type { AgentOptions, ApprovalOptions } from './compose/agent-options.ts';
export type { CorsOptions } from './compose/cross-origin.ts';
export { defineAgent } from './compose/define-agent.ts';
export { loop } from './loop/loop.ts';
export type { Generated, LoopHandler, LoopOptions } from './loop/loop-options.ts';
export { outputFormat } from './loop/output-format.ts';
export { type PriceBook, readPriceFile } from './loop/price-book.ts';
export {
  hasToolCall,
  type LoopStep,
  type PrepareStep,
  type StepSettings,
  type StepState,
  type StopCondition,
} from './loop/step-control.ts';
export { type SubAgentOptions, subAgent } from './loop/sub-agent.ts';
export { type AiSdkModel, type AiSdkOptions, aiSdk } from './models/ai-sdk/ai-sdk.ts';
export { type AnthropicOptions, anthropic } from './models/anthropic/anthropic.ts';
export { type ChatCompletionsOptions, chatCompletions } from './models/chat-completions/chat-completions.ts';
export { type FallbackOptions, fallback } from './models/fallback.ts';
export type { Model, ModelEvent, ModelMessage, ModelRequest, ResponseFormat, ToolChoice } from './models/model.ts';
export { ModelError } from './models/model-error.ts';
export { type ScriptedAnswer, type ScriptedOptions, type ScriptedStep, scripted } from './models/scripted.ts';
export type { ProtocolOptions } from './protocols/protocol-options.ts';
export type { SkillsOptions } from './skills/create-skills.ts';
export type { SpeechOptions } from './speech/create-transcriber.ts';
export { TaskError } from './tasks/task-error.ts';
export type {
  DefinedTask,
  EnqueueOptions,
  ListTasksOptions,
  RetryPolicy,
  Task,
  TaskContext,
  TaskHandler,
  TaskOptions,
  TaskProgress,
  TaskSettings,
  Tasks,
} from './tasks/task-types.ts';
export { type VerifyHmacOptions, verifyHmac } from './tasks/verify-hmac.ts';
export type {
  CronEvent,
  OnEvent,
  WebhookContext,
  WebhookEvent,
  WebhookOptions,
  WebhookRequest,
} from './tasks/webhook-types.ts';
export { appDataTools } from './tools/app-data/app-data-tools.ts';
export { type BrowserOptions, browser } from './tools/browser/browser-tools.ts';
export { type CommandToolOptions, commandTool } from './tools/command/command-tool.ts';
export { fileTools } from './tools/files/file-tools.ts';
export type { SearchResult } from './tools/web/search-services.ts';
export { type Search, type WebSearchOptions, webSearch } from './tools/web/search-tool.ts';
export { webTool } from './tools/web/web-tool.ts';
export type {
  AgentRun,
  PendingApproval,
  RunMessage,
  RunOptions,
  RunResult,
  RunUsage,
} from './turns/agent-run.ts';
