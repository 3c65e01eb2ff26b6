import { randomFillSync } from 'node:crypto';
import { createError } from '@berth/contract/errors';
import { BerthError, backoffMs, describeError, runInBackground, type Timer } from '@berth/kit';
import { createProxyTrust } from '@berth/kit/node';
import {
  deploymentOf,
  type GatewayControl,
  type GatewayEvents,
  isServed,
  type RevisionTarget,
  routeOf,
} from '../port/gateway.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from '../port/gateway-policy.ts';
import { createRequestHandlers } from '../proxy/create-request-handlers.ts';
import { createTraceSource } from '../proxy/trace-context.ts';
import { createUpstreams } from '../upstream/create-upstream.ts';
import { createGatewayCore } from '../workers/create-gateway-core.ts';
import { createRemoteGateway, type RemoteGateway } from '../workers/create-remote-gateway.ts';
import { createProcessPort } from '../workers/process-port.ts';
import { serveGateway } from '../workers/serve-gateway.ts';
import { SlotClient } from '../workers/slot-client.ts';
import type { FromWorker, PartitionEpoch, ToWorker } from '../workers/worker-messages.ts';
import { createAgreement, doAllAgree, serveAgreement } from './agreement.ts';
import type { ClusterGateway, ClusterGatewayOptions } from './cluster-gateway.ts';
import { ClusterRoutes } from './cluster-routes.ts';
import { LingeringPort } from './lingering-port.ts';
import { createLocalPorts } from './local-ports.ts';
import type { Peer, PeerLink } from './peer-link.ts';

/** How long a new owner waits for connections of all live gateways, whose requests it counts from the start then. */
const CONNECT_MS = 1_000;
/** How long a call waits for a service to have an owner. */
const OWNER_MS = 30_000;
const REDIAL = { baseMs: 100, maxMs: 2_000 };

const NO_EVENTS: GatewayEvents = { onRequest() {}, onInstance() {}, onOutput() {} };
/** Each gateway writes the events of its own services. */
const NO_RELAY = { connect: () => ({ taken() {}, recordsTaken() {}, end() {} }) };

/** Another gateway, as this one reaches it. */
interface Neighbour {
  peer: Peer;
  link: PeerLink | undefined;
  remote: RemoteGateway | undefined;
  agree: (() => Promise<boolean>) | undefined;
  isDialing: boolean;
  failures: number;
  timer: Timer | undefined;
}

/**
 * Creates a gateway that shares its services with others: any of them takes requests, and sends them straight to the instances. One of them
 * counts the requests of a service, starts its instances and stops them; the others borrow slots from it, as workers do from their core.
 * The services are spread by partitions. When a gateway is gone, another one takes its partitions, adopts their running instances, and
 * counts what the remaining gateways declare to be in flight.
 */
export function createClusterGateway(options: ClusterGatewayOptions): ClusterGateway {
  const { clock, logger, events, runtime, self, network, membership } = options;
  const policy: GatewayPolicy = { ...DEFAULT_POLICY, ...options.policy };
  /** All routes of a deployment are in one partition. */
  const partitionOf = (route: string) => options.partitionOf(deploymentOf(route));
  const core = createGatewayCore({ ...options, policy, onRecords() {} });
  const routes = new ClusterRoutes({ clock, policy, partitionOf });
  /** The current revision of each service, as this gateway was told. */
  const targets = new Map<string, RevisionTarget>();
  /** The partitions whose services this core has, with their epochs. */
  const held = new Map<number, number>();
  /** Those in which the core counts what the other gateways have in flight. */
  const begun = new Set<number>();
  const givingUp = new Set<number>();
  /** Since when services of this core serve another revision than the database names. */
  const strays = new Map<string, number>();
  const neighbours = new Map<string, Neighbour>();
  /** The slots that other gateways hold of this one's services. */
  const borrowers = new Map<string, LingeringPort<FromWorker, ToWorker>>();
  let changed = Promise.withResolvers<void>();
  let isClosed = false;

  const tellChange = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  /** Resolves at the next change, or after `ms`. */
  const nextChange = async (ms: number, signal?: AbortSignal) => {
    const over = new AbortController();
    const ends = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    await Promise.race([changed.promise, clock.sleep(Math.max(0, ms), ends).catch(() => {})]);
    over.abort();
  };

  const isOwn = (deployment: string) => {
    const partition = partitionOf(deployment);
    return begun.has(partition) && !givingUp.has(partition) && membership().isHeld(deploymentOf(deployment));
  };
  const requireOwn = (deployment: string) => {
    if (!isOwn(deployment)) throw createError('unavailable', `Another gateway has "${deployment}".`);
  };
  const claimed = (): PartitionEpoch[] => [...held].map(([number, epoch]) => ({ number, epoch }));

  const createClient = (port: ConstructorParameters<typeof SlotClient>[0]['port']) => {
    const client = new SlotClient({
      ...{ clock, port, policy, shared: routes },
      createUpstreams: (given) => createUpstreams(clock, given),
    });
    client.ready.catch(() => {});
    routes.add(client);
    return client;
  };

  const serves = (target: RevisionTarget) =>
    core.gateway.take(
      target,
      runtime.survivors?.({ account: target.account, deployment: target.deployment }, target.revision) ?? [],
    );

  /** The calls that other gateways may make on the services of this one. */
  const own: GatewayControl = {
    ...core.gateway,
    async activate(target, activation) {
      requireOwn(routeOf(target));
      await core.gateway.activate(target, activation);
    },
    async hold(deployment, held) {
      requireOwn(deployment);
      return core.gateway.hold(deployment, held);
    },
    async remove(deployment) {
      requireOwn(deployment);
      await core.gateway.remove(deployment);
    },
  };

  network.onLink((link) => {
    const before = borrowers.get(link.id);
    const port = new LingeringPort<FromWorker, ToWorker>(createProcessPort(link, 'slots'), (batch) => {
      // From now on its own declaration counts.
      if (batch.some(({ kind }) => kind === 'holding')) before?.end();
    });
    borrowers.set(link.id, port);
    core.attachWorker(port, { onUnresponsive: () => link.close(), isSetUp: true });
    if (held.size === 0) before?.end();
    const control = createProcessPort<never, never>(link, 'control') as never;
    serveAgreement(link, options.agree ?? (async () => false));
    serveGateway({ gateway: own, routesKnown: core.routesKnown, relay: NO_RELAY, port: control, clock, logger });
    tellChange();
  });

  const dial = async (neighbour: Neighbour) => {
    neighbour.isDialing = true;
    try {
      const link = await network.dial(neighbour.peer);
      if (!isCurrent(neighbour)) {
        link.close();
        return;
      }
      const client = createClient(createProcessPort(link, 'slots'));
      const remote = createRemoteGateway({ port: createProcessPort(link, 'control'), events: NO_EVENTS, logger });
      Object.assign(neighbour, { link, remote, agree: createAgreement(link), failures: 0 });
      link.once('disconnect', () => {
        routes.remove(client);
        Object.assign(neighbour, { link: undefined, remote: undefined, agree: undefined });
        tellChange();
        redial(neighbour);
      });
    } catch (error) {
      neighbour.failures++;
      if (neighbour.failures === 1) {
        const { id, address } = neighbour.peer;
        logger.warn({ gateway: id, address, error: describeError(error) }, 'a gateway cannot be reached; will retry');
      }
      redial(neighbour);
    } finally {
      neighbour.isDialing = false;
      tellChange();
    }
  };
  const isCurrent = (neighbour: Neighbour) => !isClosed && neighbours.get(neighbour.peer.id) === neighbour;
  function redial(neighbour: Neighbour): void {
    if (!isCurrent(neighbour)) return;
    neighbour.timer?.cancel();
    neighbour.timer = clock.setTimer(backoffMs(neighbour.failures, REDIAL), () => {
      if (isCurrent(neighbour) && !neighbour.link && !neighbour.isDialing) connect(neighbour);
    });
  }
  const connect = (neighbour: Neighbour) => runInBackground('connect to a gateway', dial(neighbour), logger);

  const local = createLocalPorts<ToWorker, FromWorker>();
  core.attachWorker(local.core, {
    isSetUp: true,
    onUnresponsive: () => logger.error({}, 'the gateway did not answer itself in time'),
  });
  createClient(local.worker);

  /** Waits for connections of all live gateways, so that what they have in flight is counted before anything new. */
  const whenConnected = async () => {
    const dueMs = clock.monotonicMs() + CONNECT_MS;
    const isMissing = ({ id }: Peer) => id !== self && borrowers.get(id)?.isOpen !== true;
    while (membership().peers.some(isMissing) && clock.monotonicMs() < dueMs) {
      await nextChange(dueMs - clock.monotonicMs());
    }
  };
  const begin = async (partitions: readonly PartitionEpoch[]) => {
    await whenConnected();
    await core.claim(claimed());
    const taken = new Set(
      partitions.filter(({ number, epoch }) => held.get(number) === epoch).map((one) => one.number),
    );
    for (const number of taken) begun.add(number);
    for (const target of targets.values()) {
      if (taken.has(partitionOf(target.deployment)) && isOwn(routeOf(target))) serves(target);
    }
    tellChange();
  };

  /** Returns the gateway that carries out calls about a deployment; waits for one. @throws `unavailable` */
  const ownerOf = async (deployment: string, signal?: AbortSignal): Promise<GatewayControl> => {
    const dueMs = clock.monotonicMs() + OWNER_MS;
    for (;;) {
      signal?.throwIfAborted();
      if (isOwn(deployment)) return own;
      const remote = neighbours.get(membership().ownerOf(deploymentOf(deployment))?.id ?? '')?.remote;
      if (remote) return remote;
      if (clock.monotonicMs() >= dueMs) throw createError('unavailable', `No gateway has "${deployment}". Try again.`);
      await nextChange(dueMs - clock.monotonicMs(), signal);
    }
  };
  /** Makes a call to the owner of a deployment, and again to the next owner when that one goes. */
  const callOwner = async <Answer>(
    deployment: string,
    call: (gateway: GatewayControl) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    const dueMs = clock.monotonicMs() + OWNER_MS;
    for (;;) {
      const owner = await ownerOf(deployment, signal);
      try {
        return await call(owner);
      } catch (error) {
        // Its owner has closed, has given it away, or is connecting again.
        const hasMoved = error instanceof BerthError && (error.code === 'unavailable' || error.code === 'cancelled');
        if (!hasMoved || signal?.aborted || clock.monotonicMs() >= dueMs) throw error;
        await nextChange(REDIAL.baseMs, signal);
      }
    }
  };
  /**
   * Whether a service of this core serves another revision than it should for so long that its activation wasn't recorded: the gateway that
   * ordered it was killed in between.
   */
  const hasStrayed = (deployment: string, actual: string | undefined, wanted: string): boolean => {
    if (actual === undefined || actual === wanted) {
      strays.delete(deployment);
      return false;
    }
    const nowMs = clock.monotonicMs();
    const sinceMs = strays.get(deployment) ?? nowMs;
    strays.set(deployment, sinceMs);
    return nowMs - sinceMs >= policy.uncommittedMs;
  };
  const know = (target: RevisionTarget) => {
    targets.set(routeOf(target), target);
    routes.know(target);
  };

  let closed: Promise<void> | undefined;
  const close = async (drainMs: number) => {
    isClosed = true;
    await routes.close(drainMs);
    // The instances are left to the other gateways, or to the next start of this one.
    await core.gateway.leave(() => true);
    for (const { link, timer } of neighbours.values()) {
      timer?.cancel();
      link?.close();
    }
    await core.gateway.close({ drainMs: 0 });
    local.worker.close();
  };

  return {
    ...createRequestHandlers(
      {
        ...{ secret: options.secret, clock, policy, events },
        traces: createTraceSource(options.random ?? randomFillSync),
        proxies: createProxyTrust(options.trustedProxies ?? []),
        isPlatform: false,
      },
      routes,
    ),
    onMembers() {
      const alive = new Map(membership().peers.map((peer) => [peer.id, peer]));
      for (const [id, { link, timer }] of neighbours) {
        if (alive.has(id)) continue;
        neighbours.delete(id);
        timer?.cancel();
        link?.close();
      }
      for (const [id, port] of borrowers) {
        if (alive.has(id)) continue;
        borrowers.delete(id);
        port.end();
      }
      for (const peer of alive.values()) {
        const known = neighbours.get(peer.id);
        if (peer.id === self || isClosed) continue;
        if (known) known.peer = peer;
        else {
          const neighbour = {
            peer,
            link: undefined,
            remote: undefined,
            agree: undefined,
            isDialing: false,
            failures: 0,
            timer: undefined,
          };
          neighbours.set(peer.id, neighbour);
          connect(neighbour);
        }
      }
      tellChange();
    },
    take(partitions) {
      for (const { number, epoch } of partitions) held.set(number, epoch);
      runInBackground('take partitions', begin(partitions), logger);
    },
    lose(partitions) {
      const lost = new Set(partitions);
      for (const number of lost) {
        held.delete(number);
        begun.delete(number);
        givingUp.delete(number);
      }
      const isLost = (deployment: string) => lost.has(partitionOf(deployment));
      runInBackground('lose partitions', core.claim(claimed()), logger);
      runInBackground('leave services', core.gateway.leave(isLost), logger);
      tellChange();
    },
    async giveUp(partitions) {
      const left = new Set(partitions);
      for (const number of left) givingUp.add(number);
      await core.gateway.leave((deployment) => left.has(partitionOf(deployment)));
    },
    async askOthers(withinMs) {
      const others = membership().peers.filter(({ id }) => id !== self);
      return doAllAgree(
        clock,
        withinMs,
        others.map(({ id }) => neighbours.get(id)?.agree?.() ?? false),
      );
    },
    register(target) {
      know(target);
      if (isOwn(routeOf(target))) serves(target);
    },
    release: core.gateway.release,
    // Like a release command, it runs on the server that takes the request.
    startOneOff: core.gateway.startOneOff,
    async activate(target, activation) {
      const deployment = routeOf(target);
      // Where another gateway has it, that one follows the route itself.
      if (!activation.isLazy) {
        await callOwner(deployment, (owner) => owner.activate(target, activation), activation.signal);
      } else if (isOwn(deployment) && !isServed(core.gateway.snapshot(deployment), target))
        await core.gateway.activate(target, activation);
      know(target);
    },
    async remove(deployment, { isLazy = false } = {}) {
      targets.delete(deployment);
      routes.onDeleted(deployment);
      const isOwner = isOwn(deployment);
      // One-off instances are on any server.
      await core.gateway.remove(deployment);
      if (!isOwner && !isLazy) await callOwner(deployment, (owner) => owner.remove(deployment));
    },
    hold: (deployment, held) => callOwner(deployment, (owner) => owner.hold(deployment, held), held.signal),
    snapshot(deployment) {
      const target = targets.get(deployment);
      if (target === undefined) return undefined;
      if (isOwn(deployment)) {
        const actual = core.gateway.snapshot(deployment);
        if (actual && hasStrayed(deployment, actual.revision ?? undefined, target.revision)) return actual;
      }
      const remote = neighbours.get(membership().ownerOf(deploymentOf(deployment))?.id ?? '')?.remote;
      const state = (isOwn(deployment) ? core.gateway : remote)?.snapshot(deployment);
      return { instances: 0, busy: 0, inFlight: 0, queued: 0, ...state, ...servedBy(target) };
    },
    loads: core.gateway.loads,
    instances: core.gateway.instances,
    close({ drainMs = policy.closeDrainMs } = {}) {
      closed ??= close(drainMs);
      return closed;
    },
  };
}

/** The part of a snapshot that says what the route serves. */
function servedBy({ revision, generation = 0 }: RevisionTarget) {
  return { revision, generation };
}
