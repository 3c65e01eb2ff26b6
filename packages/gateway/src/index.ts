export type {
  ActivateOptions,
  Gateway,
  GatewayEvents,
  InstanceEvent,
  InstanceSource,
  RequestRecord,
  RevisionTarget,
  ServiceSnapshot,
  StartReason,
  StopReason,
} from './gateway.ts';
