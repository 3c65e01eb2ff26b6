import { createHmac } from 'node:crypto';
import type { RequestHandlers, TrafficRule } from '../port/gateway.ts';
import { readCookie, type StickyCookie } from './sticky-cookie.ts';

/** Name of the cookie that keeps a browser on its revision while the traffic is split. */
export const REVISION_COOKIE: StickyCookie = 'berth_revision';

/** A revision's part of a split. */
interface Share {
  readonly route: string;
  readonly revision: string;
  /** Sum of the percentages up to this one. */
  readonly upTo: number;
  /** Value of the cookie; signed when it is first needed. */
  key: string;
}

/** The route of a request, and the value of the cookie that keeps its browser there; empty when the browser has it. */
export interface ChosenRoute {
  readonly route: string;
  readonly cookie: string;
}

/**
 * The splits and tags of all deployments. A cookie counts only if its value is the signature of a revision in the deployment's current split,
 * so services can't choose for browsers, and a value from an earlier split counts for nothing.
 */
export class TrafficTable implements Pick<RequestHandlers, 'setTraffic'> {
  #splits = new Map<string, readonly Share[]>();
  #tags = new Map<string, string>();
  readonly #random: () => number;

  /** @param random returns a number from 0 to below 1 */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  setTraffic(rules: readonly TrafficRule[]): void {
    this.#splits = new Map();
    this.#tags = new Map();
    for (const { deployment, split, tags } of rules) {
      for (const [label, route] of Object.entries(tags)) this.#tags.set(label, route);
      let upTo = 0;
      const shares = split
        .filter(({ percent }) => percent > 0)
        .map(({ route, revision, percent }): Share => {
          upTo += percent;
          return { route, revision, upTo, key: '' };
        });
      if (shares.length > 0) this.#splits.set(deployment, shares);
    }
  }

  /** Returns the route of a tag by the first label of its host; undefined for any other label. */
  tagged(label: string): string | undefined {
    return this.#tags.get(label);
  }

  /** Returns the route of a request; undefined when the deployment's traffic isn't split. */
  choose(deployment: string, cookies: string | undefined, secret: string | Uint8Array): ChosenRoute | undefined {
    if (this.#splits.size === 0) return undefined;
    const shares = this.#splits.get(deployment);
    if (shares === undefined) return undefined;
    for (const share of shares) share.key ||= sign(secret, deployment, share.revision);
    const given = readCookie(cookies, REVISION_COOKIE);
    const kept = given === undefined ? undefined : shares.find(({ key }) => key === given);
    if (kept) return { route: kept.route, cookie: '' };
    const point = this.#random() * (shares.at(-1)?.upTo ?? 0);
    const share = shares.find(({ upTo }) => point < upTo);
    return share && { route: share.route, cookie: share.key };
  }
}

function sign(secret: string | Uint8Array, deployment: string, revision: string): string {
  return createHmac('sha256', secret).update(['revision', deployment, revision].join('\n')).digest('base64url');
}
