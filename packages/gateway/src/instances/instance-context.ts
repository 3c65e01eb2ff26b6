import type { Clock, IdSource, Logger } from '@berth/kit';
import type { Instance, Runtime } from '@berth/runtime';
import type { GatewayEvents, RevisionTarget } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { Upstream } from '../port/upstream.ts';
import type { Host } from './host.ts';
import type { HttpProbe } from './http-probe.ts';
import type { Http2Probe } from './probe-http2.ts';
import type { PortProbe } from './probe-port.ts';

/** The probes of instances. */
export interface InstanceProbes {
  readonly port: PortProbe;
  readonly http2: Http2Probe;
  readonly http: HttpProbe;
}

/** The dependencies of instances, pools and services. One per gateway. */
export interface InstanceContext {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly events: GatewayEvents;
  readonly policy: GatewayPolicy;
  readonly host: Host;
  readonly probes: InstanceProbes;
  readonly createUpstream: (handle: Instance, useHttp2: boolean) => Upstream;
  /** Returns the value of an instance's affinity cookie. */
  readonly signAffinity: (target: RevisionTarget, instanceId: string) => string;
}
