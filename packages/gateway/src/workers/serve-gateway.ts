import { type Clock, type Logger, runInBackground, type Timer } from '@berth/kit';
import {
  type GatewayControl,
  type HeldInstance,
  type InstanceReport,
  isServed,
  routeOf,
  type ServiceLoad,
  type ServiceSnapshot,
} from '../port/gateway.ts';
import type { ControlMessage, CoreReport, FromControl, ToControl } from './control-messages.ts';
import type { EventRelay } from './event-relay.ts';
import type { MessagePort } from './message-port.ts';
import { type Defer, Outbox } from './outbox.ts';
import { toWireError } from './wire-error.ts';

/** Options of {@link serveGateway}. */
export interface ServeGatewayOptions {
  readonly gateway: GatewayControl;
  /** The core's `routesKnown`. */
  readonly routesKnown: () => Promise<void>;
  readonly relay: Pick<EventRelay, 'connect'>;
  readonly port: MessagePort<FromControl, ToControl>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly defer?: Defer;
}

/** The result of a call. */
type DoneResult = Pick<Extract<CoreReport, { kind: 'done' }>, 'instances'>;

/** Interval at which changed states of services are sent. */
const STATES_MS = 500;
/** Maximum share of time spent comparing states; with thousands of services the interval grows. */
const STATES_TIME_RATIO = 0.01;

/**
 * Serves the calls of a control plane in another process until its port closes. Then its activations are canceled, which leaves the
 * routes unchanged, and everything else keeps running. A newly connected control plane is first sent all states.
 */
export function serveGateway(options: ServeGatewayOptions): void {
  const { gateway, routesKnown, relay, port, clock, logger, defer } = options;
  const outbox = new Outbox<CoreReport>((batch) => port.post(batch), defer);
  const activations = new Map<number, AbortController>();
  let told = new Map<string, string>();
  let timer: Timer | undefined;
  let isClosed = false;

  const tellStates = () => {
    const now = new Map<string, string>();
    for (const load of gateway.loads()) {
      const snapshot = gateway.snapshot(load.deployment);
      const state = describeState(load, snapshot);
      now.set(load.deployment, state);
      if (told.get(load.deployment) === state) continue;
      outbox.push({ kind: 'state', load, ...(snapshot === undefined ? {} : { snapshot }) });
    }
    for (const deployment of told.keys()) if (!now.has(deployment)) outbox.push({ kind: 'gone', deployment });
    told = now;
  };
  const tellStatesSoon = (tookMs: number) => {
    timer = clock.setTimer(Math.max(STATES_MS, tookMs / STATES_TIME_RATIO), () => {
      const beganAtMs = clock.monotonicMs();
      tellStates();
      tellStatesSoon(clock.monotonicMs() - beganAtMs);
    });
  };

  /** Answers a call after sending the states that it changed, so that the caller sees its own changes. */
  const answer = async (call: number, work: Promise<void>, result: () => DoneResult = () => ({})) => {
    let report: CoreReport = { kind: 'done', call };
    try {
      await work;
      report = { ...report, ...result() };
    } catch (error) {
      report = { kind: 'failed', call, error: toWireError(error) };
    }
    if (isClosed) return;
    tellStates();
    outbox.push(report);
  };

  const carryOut = async (
    { kind, call, target, isLazy = false }: Extract<ControlMessage, { kind: 'activate' | 'release' }>,
    signal: AbortSignal,
  ) => {
    const onProgress = (message: string) => outbox.push({ kind: 'progress', call, message });
    if (kind === 'release') {
      const onOutput = (line: string) => outbox.push({ kind: 'printed', call, line });
      await gateway.release(target, { signal, onProgress, onOutput });
      return;
    }
    // A control plane that restarted before the answer repeats its call.
    if (isServed(gateway.snapshot(routeOf(target)), target)) return;
    await gateway.activate(target, { signal, onProgress, isLazy });
  };

  /** The holds of the control plane, which end with its connection. */
  const holds = new Map<number, AbortController>();
  const hold = async (call: number, acquire: (signal: AbortSignal) => Promise<HeldInstance>) => {
    const over = new AbortController();
    holds.set(call, over);
    try {
      const held = await acquire(over.signal);
      if (over.signal.aborted) held.release();
      else over.signal.addEventListener('abort', () => held.release(), { once: true });
      if (!isClosed) outbox.push({ kind: 'held', call, instance: held.instance, revision: held.revision });
    } catch (error) {
      holds.delete(call);
      if (!isClosed) outbox.push({ kind: 'failed', call, error: toWireError(error) });
    }
  };

  const handle = (message: ControlMessage) => {
    switch (message.kind) {
      case 'register':
        return gateway.register(message.target);
      case 'activate':
      case 'release': {
        const { call } = message;
        const cancel = new AbortController();
        activations.set(call, cancel);
        const work = carryOut(message, cancel.signal).finally(() => activations.delete(call));
        return runInBackground(message.kind, answer(call, work), logger);
      }
      case 'abort':
        return activations.get(message.call)?.abort();
      case 'remove':
        return runInBackground('remove', answer(message.call, gateway.remove(message.deployment)), logger);
      case 'hold':
        return runInBackground(
          'hold an instance',
          hold(message.call, (signal) => gateway.hold(message.deployment, { instance: message.instance, signal })),
          logger,
        );
      case 'startOneOff':
        return runInBackground(
          'start an instance for commands',
          hold(message.call, (signal) => gateway.startOneOff(message.target, { signal })),
          logger,
        );
      case 'letGo': {
        holds.get(message.call)?.abort();
        holds.delete(message.call);
        return;
      }
      case 'settle':
        return runInBackground('settle', answer(message.call, routesKnown()), logger);
      case 'instances': {
        let instances: readonly InstanceReport[] = [];
        const work = gateway.instances(message.deployment).then((found) => {
          instances = found;
        });
        return runInBackground(
          'instances',
          answer(message.call, work, () => ({ instances })),
          logger,
        );
      }
      case 'recordsTaken':
        return connection.recordsTaken(message.bytes);
      default:
        connection.taken(message.bytes);
    }
  };

  tellStates();
  outbox.push({ kind: 'ready' });
  const connection = relay.connect((report) => outbox.push(report));
  tellStatesSoon(0);
  port.onMessage((batch) => {
    for (const message of batch) handle(message);
  });
  port.onClose(() => {
    isClosed = true;
    timer?.cancel();
    connection.end();
    for (const one of [...activations.values(), ...holds.values()]) one.abort();
  });
}

/** Returns a string that is equal for equal states. */
function describeState({ inFlight, queued, instances }: ServiceLoad, snapshot: ServiceSnapshot | undefined): string {
  return JSON.stringify([inFlight, queued, instances, snapshot]);
}
