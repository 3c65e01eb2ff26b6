export type { ClusterGateway, ClusterGatewayOptions } from './cluster/cluster-gateway.ts';
export { createClusterGateway } from './cluster/create-cluster-gateway.ts';
export { openPeerNetwork } from './cluster/peer-link.ts';
export { createGateway, type GatewayOptions } from './compose/create-gateway.ts';
export {
  createFrontServer,
  DEFAULT_FRONT_LIMITS,
  type FrontLimits,
  type FrontServer,
  type FrontServerOptions,
} from './front/create-front-server.ts';
export type { WholeRequest, WholeRequests, WholeResponse } from './front/create-plain-front.ts';
export type {
  ActivateOptions,
  Gateway,
  GatewayControl,
  GatewayEvents,
  HeldInstance,
  HoldOptions,
  InstanceEvent,
  InstanceReport,
  InstanceSource,
  InstanceState,
  ReleaseOptions,
  RequestHandlers,
  RequestRecord,
  RevisionTarget,
  ServiceLoad,
  ServiceSnapshot,
  StartReason,
  StopReason,
  TrafficRule,
} from './port/gateway.ts';
export { deploymentOf, isServed, routeOf, sideRoute } from './port/gateway.ts';
export { DEFAULT_POLICY, type GatewayPolicy } from './port/gateway-policy.ts';
export {
  createSocketHandlers,
  type SocketHandlers,
  type SocketHandlersOptions,
} from './proxy/create-socket-handlers.ts';
export { signTimeout, TIMEOUT_HEADER } from './proxy/timeout-grant.ts';
export type { HostBudget } from './services/service-table.ts';
