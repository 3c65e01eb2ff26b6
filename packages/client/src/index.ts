export {
  type AgentClient,
  type AgentClientOptions,
  createAgentClient,
  type TurnRequest,
} from './agent/create-agent-client.ts';
export type { TurnOptions } from './agent/read-turn.ts';
export type { AnswerOf, ApiCalls, BodyOf } from './api-calls.ts';
export { parseBaseUrl } from './base-url.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export { isConnectionError } from './connection-error.ts';
export type { Credential } from './credential.ts';
export type { DeployCalls, DeployOptions, DeployRequest, RollbackOptions } from './deploy.ts';
export { type DeployFields, type SettingsToChange, toFormFields, type VolumeTarget } from './deploy-fields.ts';
export type { FollowOptions } from './follow-events.ts';
export { formatIssues } from './format-issues.ts';
export { formatCell, formatCsv } from './format-rows.ts';
export type { paths as AgentPaths } from './generated/agent-api.ts';
export type { paths as ControlPaths } from './generated/control-api.ts';
export { readNdjson } from './read-ndjson.ts';
export type { FormAnswer, FormUpload, SendForm, UploadProgress } from './send-form.ts';
export type { TailOptions } from './tail-logs.ts';
export type { CallOptions } from './transport.ts';
export type { RenewSession } from './with-session.ts';
