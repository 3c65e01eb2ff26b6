import { createError } from '@berth/contract/errors';
import { type Logger, runInBackground } from '@berth/kit';
import {
  type ActivateOptions,
  type GatewayControl,
  type GatewayEvents,
  type HeldInstance,
  type ReleaseOptions,
  type RevisionTarget,
  routeOf,
  type ServiceLoad,
  type ServiceSnapshot,
} from '../port/gateway.ts';
import type { ControlMessage, CoreReport, FromControl, ToControl } from './control-messages.ts';
import type { MessagePort } from './message-port.ts';
import { type Defer, Outbox } from './outbox.ts';
import { readRecords } from './record-batch.ts';
import { fromWireError } from './wire-error.ts';

/** A port to the core. */
export type RemoteGatewayPort = MessagePort<ToControl, FromControl>;

/** Options of {@link createRemoteGateway}. */
export interface RemoteGatewayOptions {
  readonly port: RemoteGatewayPort;
  /** Receives the core's events. While a promise returned by `onOutput` is pending, the instance's output waits. */
  readonly events: GatewayEvents;
  readonly logger: Logger;
  readonly defer?: Defer;
}

/**
 * A gateway in another process, as its control plane uses it. `snapshot` and `loads` return the states that the core sent last. A
 * change made by a call from this side is visible before the call resolves; any other change is visible within half a second, or
 * within a few seconds with thousands of services.
 */
export interface RemoteGateway extends GatewayControl {
  /** Resolves when the states of all deployments are known. @throws BerthError `unavailable` when the port closes first. */
  readonly ready: Promise<void>;
  /** Resolves when all workers know the current routes. `activate` and `remove` wait for this; `register` does not. */
  routesKnown(): Promise<void>;
  /** Disconnects from the core and rejects pending calls. The data plane keeps running. */
  close(): Promise<void>;
}

/** Time in which an instance is held: a start may wait for capacity and for its port. A gateway of an earlier release never answers. */
const HOLD_MS = 150_000;

interface Call {
  readonly onProgress: (message: string) => void;
  readonly onOutput: (line: string) => void;
  readonly resolve: (report: CoreReport) => void;
  readonly reject: (error: Error) => void;
}

interface State {
  readonly load: ServiceLoad;
  readonly snapshot?: ServiceSnapshot;
}

/** Creates the control plane's side of a gateway that runs in another process. */
export function createRemoteGateway({ port, events, logger, defer }: RemoteGatewayOptions): RemoteGateway {
  const outbox = new Outbox<ControlMessage>((batch) => port.post(batch), defer);
  const states = new Map<string, State>();
  const calls = new Map<number, Call>();
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  let lastCall = 0;
  let isClosed = false;

  const call = (
    makeMessage: (number: number) => ControlMessage,
    { onProgress = () => {}, onOutput = () => {} }: Partial<Pick<Call, 'onProgress' | 'onOutput'>> = {},
  ) => {
    if (isClosed) return Promise.reject(gone());
    const number = ++lastCall;
    const { promise, resolve, reject } = Promise.withResolvers<CoreReport>();
    calls.set(number, { onProgress, onOutput, resolve, reject });
    outbox.push(makeMessage(number));
    return promise;
  };

  const callAbortable = async (
    kind: 'activate' | 'release',
    target: RevisionTarget,
    options: ActivateOptions & ReleaseOptions,
  ) => {
    const { signal, isLazy = false } = options;
    if (signal.aborted) throw createError('cancelled', 'The deploy was canceled.');
    let abort = () => {};
    const done = call((number) => {
      abort = () => outbox.push({ kind: 'abort', call: number });
      return { kind, call: number, target, isLazy };
    }, options);
    signal.addEventListener('abort', abort, { once: true });
    await done.finally(() => signal.removeEventListener('abort', abort));
  };

  const takeOutput = async ({ source, stream, chunk }: Extract<CoreReport, { kind: 'output' }>) => {
    try {
      await events.onOutput(source, stream, chunk);
    } finally {
      outbox.push({ kind: 'outputTaken', bytes: chunk.length });
    }
  };

  const endCall = (number: number) => {
    const ended = calls.get(number);
    calls.delete(number);
    return ended;
  };

  const handle = (report: CoreReport) => {
    switch (report.kind) {
      case 'ready':
        return ready.resolve();
      case 'state':
        states.set(report.load.deployment, report);
        return;
      case 'gone':
        states.delete(report.deployment);
        return;
      case 'progress':
        return calls.get(report.call)?.onProgress(report.message);
      case 'printed':
        return calls.get(report.call)?.onOutput(report.line);
      case 'done':
      case 'held':
        return endCall(report.call)?.resolve(report);
      case 'failed':
        return endCall(report.call)?.reject(fromWireError(report.error));
      case 'instance':
        return events.onInstance(report.event);
      case 'output':
        return runInBackground('take output', takeOutput(report), logger);
      default:
        for (const record of readRecords(report.records)) events.onRequest(record);
        outbox.push({ kind: 'recordsTaken', bytes: report.records.length });
    }
  };

  /** Makes a call that is answered with an instance, which is let go by the number of the call. */
  const acquire = async (
    makeMessage: (number: number) => ControlMessage,
    signal: AbortSignal,
  ): Promise<HeldInstance> => {
    signal.throwIfAborted();
    let letGo = () => {};
    const given = call((number) => {
      let isHeld = true;
      letGo = () => {
        if (isHeld && !isClosed) outbox.push({ kind: 'letGo', call: number });
        isHeld = false;
      };
      return makeMessage(number);
    });
    given.catch(() => {});
    const over = AbortSignal.any([signal, AbortSignal.timeout(HOLD_MS)]);
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.aborted ? signal.reason : gone());
    over.addEventListener('abort', abort, { once: true });
    try {
      const report = await Promise.race([given, aborted.promise]);
      if (report.kind !== 'held') throw gone();
      return { instance: report.instance, revision: report.revision, release: letGo };
    } catch (error) {
      letGo();
      throw error;
    } finally {
      over.removeEventListener('abort', abort);
    }
  };

  port.onMessage((batch) => {
    for (const report of batch) handle(report);
  });
  port.onClose(() => {
    isClosed = true;
    ready.reject(gone());
    for (const number of [...calls.keys()]) endCall(number)?.reject(gone());
  });

  return {
    ready: ready.promise,
    register(target) {
      outbox.push({ kind: 'register', target });
      const { revision, generation = 0 } = target;
      const deployment = routeOf(target);
      // The core makes this the route, unless the deployment has one already, which the core has reported then.
      if (states.get(deployment)?.snapshot !== undefined) return;
      const load = { deployment, inFlight: 0, queued: 0, busy: 0, instances: {} };
      states.set(deployment, {
        load,
        snapshot: { revision, generation, instances: 0, busy: 0, inFlight: 0, queued: 0 },
      });
    },
    release: (target, options) => callAbortable('release', target, options),
    activate: (target, options) => callAbortable('activate', target, options),
    async routesKnown() {
      await call((number) => ({ kind: 'settle', call: number }));
    },
    async remove(deployment) {
      await call((number) => ({ kind: 'remove', call: number, deployment }));
    },
    hold: (deployment, { instance, signal }) =>
      acquire((number) => ({ kind: 'hold', call: number, deployment, instance }), signal),
    startOneOff: (target, { signal }) => acquire((number) => ({ kind: 'startOneOff', call: number, target }), signal),
    async instances(deployment) {
      const report = await call((number) => ({ kind: 'instances', call: number, deployment }));
      return (report.kind === 'done' && report.instances) || [];
    },
    snapshot: (deployment) => states.get(deployment)?.snapshot,
    *loads() {
      for (const { load } of states.values()) yield load;
    },
    async close() {
      outbox.flush();
      port.close();
    },
  };
}

function gone() {
  return createError('unavailable', 'The gateway is not connected and is being restarted.');
}
