export { createGateway, type GatewayOptions } from './create-gateway.ts';
export {
  createFrontServer,
  DEFAULT_FRONT_LIMITS,
  type FrontLimits,
  type FrontServer,
  type FrontServerOptions,
} from './front/create-front-server.ts';
export type {
  ActivateOptions,
  Gateway,
  GatewayControl,
  GatewayEvents,
  InstanceEvent,
  InstanceSource,
  ReleaseOptions,
  RequestHandlers,
  RequestRecord,
  RevisionTarget,
  ServiceLoad,
  ServiceSnapshot,
  StartReason,
  StopReason,
} from './gateway.ts';
export type { InstanceState } from './instances/instance-state.ts';
export { DEFAULT_POLICY, type GatewayPolicy } from './policy.ts';
export {
  createSocketHandlers,
  type SocketHandlers,
  type SocketHandlersOptions,
} from './proxy/create-socket-handlers.ts';
export { signTimeout, TIMEOUT_HEADER } from './proxy/timeout-grant.ts';
export type { HostBudget } from './services/service-table.ts';
export { createGatewayCore, type GatewayCore, type GatewayCoreOptions } from './workers/create-gateway-core.ts';
export {
  createRemoteGateway,
  type RemoteGateway,
  type RemoteGatewayOptions,
  type RemoteGatewayPort,
} from './workers/create-remote-gateway.ts';
export { createWorkerGateway, type WorkerGateway, type WorkerGatewayOptions } from './workers/create-worker-gateway.ts';
export { createEventRelay, type EventRelay, type EventRelayOptions } from './workers/event-relay.ts';
export type { MessagePort } from './workers/message-port.ts';
export { createProcessPort, type IpcProcess } from './workers/process-port.ts';
export { type ServeGatewayOptions, serveGateway } from './workers/serve-gateway.ts';
export { fromWireError, toWireError, type WireError } from './workers/wire-error.ts';
