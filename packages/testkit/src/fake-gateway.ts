import type { ActivateOptions, Gateway, ReleaseOptions, RevisionTarget } from '@berth/gateway';
import { untilAborted } from './until-aborted.ts';

/** Stands for what starting a revision does; throw a BerthError to fail it. */
export type FakeActivation = (target: RevisionTarget, options: ActivateOptions) => void | Promise<void>;

/** Stands for what a release command does; throw a BerthError to fail it. */
export type FakeRelease = (target: RevisionTarget, options: ReleaseOptions) => void | Promise<void>;

/** A gateway that keeps routes and starts nothing. */
export interface FakeGateway extends Gateway {
  /** What serves, by deployment. */
  readonly routes: ReadonlyMap<string, RevisionTarget>;
  /** `register <revision>`, `release <revision>`, `activate <revision>` and `remove <deployment>`, as they were called. */
  readonly calls: readonly string[];
  /** What the activations from now on do; the default succeeds. */
  whenActivating(activation: FakeActivation): void;
  /** What the release commands from now on do; the default succeeds. */
  whenReleasing(release: FakeRelease): void;
  /** What the removals from now on wait for. */
  whenRemoving(removal: (deployment: string) => Promise<void>): void;
  /** Forgets every route, as a process that ends does. */
  crash(): void;
}

export function createFakeGateway(): FakeGateway {
  const routes = new Map<string, RevisionTarget>();
  const calls: string[] = [];
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
    handleRequest: (_deployment, _request, response) => void response.writeHead(501).end(),
    handleUpgrade: (_deployment, _request, socket) => void socket.destroy(),
    register(target) {
      calls.push(`register ${target.revision}`);
      if (!routes.has(target.deployment)) routes.set(target.deployment, target);
    },
    async activate(target, options) {
      calls.push(`activate ${target.revision}`);
      await untilAborted(options.signal, 'the start was cancelled', () => activation(target, options));
      routes.set(target.deployment, target);
    },
    async release(target, options) {
      calls.push(`release ${target.revision}`);
      await untilAborted(options.signal, 'the release was cancelled', () => release(target, options));
    },
    async remove(deployment) {
      calls.push(`remove ${deployment}`);
      routes.delete(deployment);
      await removal(deployment);
    },
    snapshot(deployment) {
      const target = routes.get(deployment);
      return target && { revision: target.revision, instances: 1, inFlight: 0, queued: 0 };
    },
    *loads() {
      for (const deployment of routes.keys()) {
        yield { deployment, inFlight: 0, queued: 0, instances: { ready: 1 } };
      }
    },
    close: async () => {},
  };
}
