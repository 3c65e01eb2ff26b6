import { BUSY_PATH } from '@berth/contract/busy';
import { createIdSource, createSilentLogger } from '@berth/kit';
import type { InstanceStats } from '@berth/runtime';
import {
  createFakeClock,
  createFakeRuntime,
  type FakeClock,
  type FakeInstance,
  type FakeRuntime,
} from '@berth/testkit';
import type { HttpAnswer, HttpQuestion } from '../instances/http-probe.ts';
import type { InstanceEvent, RevisionTarget } from '../port/gateway.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from '../port/gateway-policy.ts';
import { createServiceTable, type ServiceTable } from '../services/service-table.ts';
import type { SlotHolders } from '../services/slot-holders.ts';
import { FakeTicket } from './fake-ticket.ts';
import { testTarget } from './test-target.ts';

/** The behavior of programs that a {@link ServiceFixture} starts. */
export interface ProgramPlan {
  readonly listenAfterMs?: number;
  readonly exitAfterMs?: number;
  readonly stopTakesMs?: number;
  /** Other ports that the program listens on. */
  readonly listensOn?: readonly number[];
  readonly stats?: () => InstanceStats;
  /** The protocol that the program speaks where HTTP/2 is configured; HTTP/2 by default. */
  readonly speaks?: 'http1';
  /** The answer to a health check or another question; 200 by default. */
  readonly answer?: (question: HttpQuestion) => HttpAnswer | Promise<HttpAnswer>;
}

/** A fixture with fake instances, a fake clock and requests without connections. */
export interface ServiceFixture {
  readonly clock: FakeClock;
  readonly runtime: FakeRuntime;
  readonly table: ServiceTable;
  readonly events: InstanceEvent[];
  /** Every request made so far. */
  readonly tickets: FakeTicket[];
  /** Requests that have a slot. */
  readonly active: Set<FakeTicket>;
  /** All requests that were ever granted a slot, in the order of the grants. */
  readonly granted: FakeTicket[];
  /** Instances that work without a request and say so. */
  readonly working: Set<FakeInstance>;
  /** Ids of instances that were stopped while serving or working, before their drain deadline: violations of I5. */
  readonly earlySignals: string[];
  /** The plan of programs that start from now on. */
  plan: ProgramPlan;
  /** Sends a request to the deployment; returns undefined when it has no route. */
  request(deployment?: string, changes?: Partial<FakeTicket>): FakeTicket | undefined;
  /** Completes the response of a request. */
  finish(ticket: FakeTicket): void;
  /** Disconnects the client of a waiting request. */
  abandon(ticket: FakeTicket): void;
  crash(instance: FakeInstance): void;
  /** Makes an instance refuse connections, or accept them again. */
  setListening(instance: FakeInstance, isListening: boolean): void;
}

/** Creates a fixture without deployments. */
export function createServiceFixture(
  options: {
    readonly policy?: Partial<GatewayPolicy>;
    readonly memoryBytes?: number;
    readonly canSuspend?: boolean;
    /** Returns whether an instance serves requests besides those in {@link ServiceFixture.active}. */
    readonly serves?: (instanceId: string) => boolean;
    /** Creates the other processes that hold slots. */
    readonly holders?: (clock: FakeClock, policy: GatewayPolicy, table: () => ServiceTable) => SlotHolders;
  } = {},
): ServiceFixture {
  const clock = createFakeClock();
  const policy = { ...DEFAULT_POLICY, ...options.policy };
  const events: InstanceEvent[] = [];
  const tickets: FakeTicket[] = [];
  const active = new Set<FakeTicket>();
  const granted: FakeTicket[] = [];
  const earlySignals: string[] = [];
  const working = new Set<FakeInstance>();
  /** Open ports. */
  const listening = new Set<number>();
  const cutOff = new Set<number>();
  const planOfPort = new Map<number, ProgramPlan>();
  let nextPort = 1;

  const runtime = createFakeRuntime({
    canSuspend: options.canSuspend ?? false,
    run({ exit }) {
      const { plan } = fixture;
      const port = nextPort++;
      planOfPort.set(port, plan);
      if (plan.exitAfterMs !== undefined) clock.setTimer(plan.exitAfterMs, () => exit({ exitCode: 1 }));
      else clock.setTimer(plan.listenAfterMs ?? 0, () => listening.add(port));
      const { stats, listensOn = [], stopTakesMs = 0 } = plan;
      return { port, listeningPorts: () => listensOn, onStop: () => clock.sleep(stopTakesMs), ...(stats && { stats }) };
    },
    onStop(instance) {
      const isServing =
        [...active].some((ticket) => ticket.instance?.handle === instance) ||
        options.serves?.(instance.instanceId) === true ||
        (working.has(instance) && listening.has(instance.address.port));
      if (isServing && !cutOff.has(instance.address.port)) earlySignals.push(instance.instanceId);
    },
  });

  const endAll = (handlePort: number) => {
    for (const ticket of [...active]) if (ticket.instance?.handle?.address.port === handlePort) fixture.finish(ticket);
  };

  const table: ServiceTable = createServiceTable({
    runtime,
    clock,
    ids: createIdSource(() => clock.nowMs()),
    logger: createSilentLogger(),
    events: { onRequest() {}, onInstance: (event) => events.push(event), onOutput() {} },
    policy,
    ...(options.holders && { holders: options.holders(clock, policy, () => table) }),
    budget: { memoryBytes: options.memoryBytes ?? 1_000_000, simultaneousStarts: 4 },
    probes: {
      port: async ({ port }) => listening.has(port),
      http2: async ({ port }) => (planOfPort.get(port)?.speaks === 'http1' ? 'http1' : 'http2'),
      async http({ port }, question) {
        if (!listening.has(port)) return { problem: 'refused the connection' };
        if (question.path === BUSY_PATH && [...working].some(({ address }) => address.port === port)) {
          return { status: 200, body: '{"busy":true}' };
        }
        return (await planOfPort.get(port)?.answer?.(question)) ?? { status: 200 };
      },
    },
    createUpstream: ({ address }) => ({
      open() {
        throw new Error('not in this fixture');
      },
      prune() {},
      destroy() {
        cutOff.add(address.port);
        endAll(address.port);
      },
    }),
    signAffinity: (_target, id) => `signed-${id}`,
  });

  const deploymentOf = new Map<FakeTicket, string>();

  const onGrant = (ticket: FakeTicket) => {
    active.add(ticket);
    granted.push(ticket);
  };

  const fixture: ServiceFixture = {
    clock,
    runtime,
    table,
    events,
    tickets,
    active,
    granted,
    working,
    earlySignals,
    plan: {},
    request(deployment = 'hello', changes = {}) {
      const pool = table.find(deployment)?.current;
      if (!pool) return undefined;
      const ticket = new FakeTicket(tickets.length, clock.monotonicMs(), pool.target.timeoutMs, onGrant);
      Object.assign(ticket, changes);
      tickets.push(ticket);
      deploymentOf.set(ticket, deployment);
      pool.admit(ticket);
      return ticket;
    },
    finish(ticket) {
      const { instance, pool } = ticket;
      if (instance !== null && active.delete(ticket)) pool?.release(instance);
    },
    abandon(ticket) {
      if (ticket.isQueued) table.find(deploymentOf.get(ticket) ?? '')?.current?.withdraw(ticket);
    },
    crash(instance) {
      listening.delete(instance.address.port);
      instance.exit({ exitCode: null, signal: 'SIGKILL' });
    },
    setListening(instance, isListening) {
      if (isListening) listening.add(instance.address.port);
      else listening.delete(instance.address.port);
    },
  };
  return fixture;
}

/** Creates a fixture with one registered deployment. */
export function createTargetFixture(
  target: Partial<RevisionTarget>,
  options?: Parameters<typeof createServiceFixture>[0],
): ServiceFixture {
  const fixture = createServiceFixture(options);
  fixture.table.register(testTarget(target));
  return fixture;
}
