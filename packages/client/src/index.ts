export {
  type AgentClient,
  type AgentClientOptions,
  type AgentProfile,
  type ApprovalDecision,
  createAgentClient,
  type TurnRequest,
} from './agent/create-agent-client.ts';
export type { TurnOptions } from './agent/read-turn.ts';
export { parseBaseUrl } from './base-url.ts';
export { type Client, type ClientOptions, createClient, type EnvChange, type MetricsRange } from './client.ts';
export { isConnectionError } from './connection-error.ts';
export type { Credential } from './credential.ts';
export type { DeployCalls, DeployOptions, DeployRequest, DeploysQuery, RollbackOptions } from './deploy.ts';
export { type DeployFields, type SettingsToChange, toFormFields, type VolumeTarget } from './deploy-fields.ts';
export type { FollowOptions } from './follow-events.ts';
export { formatIssues } from './format-issues.ts';
export { formatCell, formatCsv } from './format-rows.ts';
export { readNdjson } from './read-ndjson.ts';
export type { FormAnswer, FormUpload, SendForm, UploadProgress } from './send-form.ts';
export type { TailOptions } from './tail-logs.ts';
export { type Call, type CallOptions, createTransport, type Transport } from './transport.ts';
export type { RenewSession } from './with-session.ts';
