import { createHash } from 'node:crypto';
import type { Owner } from '@berth/runtime';

/** The names of a server's images. */
export type ImageNames = ReturnType<typeof createImageNames>;

/** The owner and purpose of an image. */
export interface ParsedName {
  readonly owner: Owner;
  readonly kind: 'revision' | 'cache';
}

/** Creates the naming scheme of a server. Two servers on one engine never use the same name. */
export function createImageNames(serverId: string) {
  const root = `berth-${createHash('sha256').update(serverId).digest('hex').slice(0, 8)}`;
  const repository = ({ account, deployment }: Owner) => `${root}/${account}/${deployment}`;
  return {
    /** Returns `berth-<server>/<account>/<deployment>:<revision>`. */
    nameOf: (owner: Owner, revision: string) => `${repository(owner)}:${revision}`,
    /** Returns the name, without a tag, of the stages that are cached for the deployment's next build. */
    cacheOf: (owner: Owner) => `${repository(owner)}/cache`,
    /** Parses an image's name; undefined when it isn't this server's. */
    parse(name: string): ParsedName | undefined {
      // Podman adds a registry to names without one.
      const [path = ''] = name.replace(/^localhost\//, '').split(':');
      const [server, account, deployment, cache, ...rest] = path.split('/');
      if (server !== root || account === undefined || deployment === undefined || rest.length > 0) return undefined;
      if (cache !== undefined && cache !== 'cache') return undefined;
      return { owner: { account, deployment }, kind: cache === undefined ? 'revision' : 'cache' };
    },
  };
}
