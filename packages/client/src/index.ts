export {
  type AgentClient,
  type AgentClientOptions,
  createAgentClient,
  type TurnRequest,
} from './agent/create-agent-client.ts';
export type { TurnOptions } from './agent/read-turn.ts';
export { type Client, type ClientOptions, createClient } from './control/client.ts';
export type { DeployCalls, DeployOptions, DeployRequest, RollbackOptions } from './control/deploy.ts';
export { type DeployFields, type SettingsToChange, toFormFields, type VolumeTarget } from './control/deploy-fields.ts';
export type { FollowOptions } from './control/follow-events.ts';
export type { FormAnswer, FormUpload, SendForm, UploadProgress } from './control/send-form.ts';
export type { TailOptions } from './control/tail-logs.ts';
export { formatCell, formatCsv } from './format-rows.ts';
export type { paths as AgentPaths } from './generated/agent-api.ts';
export type { paths as ControlPaths } from './generated/control-api.ts';
export { readNdjson } from './streams/read-ndjson.ts';
export { type AnswerOf, type ApiCalls, type BodyOf, callUrl, createApiCalls } from './transport/api-calls.ts';
export { parseBaseUrl } from './transport/base-url.ts';
export { isConnectionError } from './transport/connection-error.ts';
export { type Credential, credentialHeaders } from './transport/credential.ts';
export { formatIssues } from './transport/format-issues.ts';
export { responseError } from './transport/response-error.ts';
export type { CallOptions, RenewSession } from './transport/transport.ts';
