export {
  createGatewayCore,
  type GatewayCore,
  type GatewayCoreOptions,
} from './create-gateway-core.ts';
export {
  createRemoteGateway,
  type RemoteGateway,
  type RemoteGatewayOptions,
  type RemoteGatewayPort,
} from './create-remote-gateway.ts';
export { createWorkerGateway, type WorkerGateway, type WorkerGatewayOptions } from './create-worker-gateway.ts';
export { createEventRelay, type EventRelay, type EventRelayOptions } from './event-relay.ts';
export type { MessagePort } from './message-port.ts';
export { createProcessPort, type IpcProcess } from './process-port.ts';
export { type ServeGatewayOptions, serveGateway } from './serve-gateway.ts';
export { fromWireError, toWireError, type WireError } from './wire-error.ts';
