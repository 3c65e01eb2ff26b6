import { createHash } from 'node:crypto';
import type { Owner } from '@berth/runtime';

/** How the images of a server are called; two servers on one engine share no name. */
export interface ImageNames {
  /** `berth-<server>/<account>/<deployment>:<revision>`. */
  nameOf(owner: Owner, revision: string): string;
  /** Of what a build leaves for the next one of the same deployment, without a tag. */
  cacheOf(owner: Owner): string;
  /** What an image's name says; undefined for one that is not of this server. */
  parse(name: string): ParsedName | undefined;
}

export interface ParsedName {
  readonly owner: Owner;
  readonly kind: 'revision' | 'cache';
}

export function createImageNames(serverId: string): ImageNames {
  const root = `berth-${createHash('sha256').update(serverId).digest('hex').slice(0, 8)}`;
  const repository = ({ account, deployment }: Owner) => `${root}/${account}/${deployment}`;
  return {
    nameOf: (owner, revision) => `${repository(owner)}:${revision}`,
    cacheOf: (owner) => `${repository(owner)}/cache`,
    parse(name) {
      // Podman puts a registry before names without one.
      const [path = ''] = name.replace(/^localhost\//, '').split(':');
      const [server, account, deployment, cache, ...rest] = path.split('/');
      if (server !== root || account === undefined || deployment === undefined || rest.length > 0) return undefined;
      if (cache !== undefined && cache !== 'cache') return undefined;
      return { owner: { account, deployment }, kind: cache === undefined ? 'revision' : 'cache' };
    },
  };
}
