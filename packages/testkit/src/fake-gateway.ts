import { createError } from '@berth/contract';
import {
  type ActivateOptions,
  type Gateway,
  type ReleaseOptions,
  type RevisionTarget,
  routeOf,
  type TrafficRule,
} from '@berth/gateway';
import type { InstanceId } from '@berth/kit';
import { untilAborted } from './until-aborted.ts';

/** Replaces the start of a revision; throw a BerthError to fail it. */
export type FakeActivation = (target: RevisionTarget, options: ActivateOptions) => void | Promise<void>;

/** Replaces a release command; throw a BerthError to fail it. */
export type FakeRelease = (target: RevisionTarget, options: ReleaseOptions) => void | Promise<void>;

/** A gateway that keeps routes and starts nothing. */
export interface FakeGateway extends Gateway {
  /** The serving revision of each route. */
  readonly routes: ReadonlyMap<string, RevisionTarget>;
  /** The rules that it was last given. */
  readonly rules: readonly TrafficRule[];
  /** Calls in order: `register <revision>`, `release <revision>`, `activate <revision>` and `remove <deployment>`. */
  readonly calls: readonly string[];
  /** Sets what later activations do. Default: succeed. */
  whenActivating(activation: FakeActivation): void;
  /** Sets what later release commands do. Default: succeed. */
  whenReleasing(release: FakeRelease): void;
  /** Sets what later removals wait for. */
  whenRemoving(removal: (deployment: string) => Promise<void>): void;
  /** Forgets every route, as when the process ends. */
  crash(): void;
}

export function createFakeGateway(): FakeGateway {
  const routes = new Map<string, RevisionTarget>();
  const calls: string[] = [];
  let rules: readonly TrafficRule[] = [];
  let activation: FakeActivation = () => {};
  let release: FakeRelease = () => {};
  let removal = async (_deployment: string): Promise<void> => {};
  return {
    routes,
    calls,
    whenActivating(next) {
      activation = next;
    },
    whenReleasing(next) {
      release = next;
    },
    whenRemoving(next) {
      removal = next;
    },
    crash: () => routes.clear(),
    get rules() {
      return rules;
    },
    setTraffic(next) {
      rules = next;
    },
    handleRequest: (_deployment, _request, response) => void response.writeHead(501).end(),
    handleUpgrade: (_deployment, _request, socket) => void socket.destroy(),
    register(target) {
      calls.push(`register ${target.revision}`);
      if (!routes.has(routeOf(target))) routes.set(routeOf(target), target);
    },
    async activate(target, options) {
      calls.push(`activate ${target.revision}`);
      await untilAborted(options.signal, 'the start was canceled', () => activation(target, options));
      routes.set(routeOf(target), target);
    },
    async release(target, options) {
      calls.push(`release ${target.revision}`);
      await untilAborted(options.signal, 'the release was canceled', () => release(target, options));
    },
    async remove(deployment) {
      calls.push(`remove ${deployment}`);
      routes.delete(deployment);
      await removal(deployment);
    },
    async hold(deployment) {
      const target = routes.get(deployment);
      if (!target) throw createError('not_found', `"${deployment}" serves no revision yet.`);
      calls.push(`hold ${deployment}`);
      return {
        instance: 'inst_1' as InstanceId,
        revision: target.revision,
        release: () => void calls.push(`let go ${deployment}`),
      };
    },
    async startOneOff({ deployment, revision }) {
      calls.push(`start one-off ${revision}`);
      return {
        ...{ instance: 'inst_2' as InstanceId, revision },
        release: () => void calls.push(`let go ${deployment}`),
      };
    },
    snapshot(deployment) {
      const target = routes.get(deployment);
      if (!target) return undefined;
      const { revision, generation = 0, isStopped } = target;
      return { revision, generation, instances: isStopped ? 0 : 1, busy: 0, inFlight: 0, queued: 0 };
    },
    *loads() {
      for (const deployment of routes.keys()) {
        yield { deployment, inFlight: 0, queued: 0, busy: 0, instances: { ready: 1 } };
      }
    },
    async instances(deployment) {
      const all = [...routes.values()].filter((target) => !target.isStopped);
      const found = all.filter((target) => (deployment ?? target.deployment) === target.deployment);
      return found.map((target) => ({
        ...{ account: target.account, deployment: target.deployment, revision: target.revision },
        ...{ instance: `inst_${target.revision}`, state: 'ready', startedAtMs: 0, inFlight: 0, isBusy: false },
        ...{ cpuMillis: 250, memoryBytes: 1_000 },
      }));
    },
    close: async () => {},
  };
}
