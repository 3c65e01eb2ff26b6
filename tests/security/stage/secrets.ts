import { randomBytes } from 'node:crypto';

/** Secrets of one stage: wherever one of them turns up, it was leaked there. */
export interface Secrets {
  /** All of them begin with it. */
  readonly prefix: string;
  /** A new secret; `name` says in the report what was leaked. */
  make(name: string): string;
  /** Adds a secret that is not of our making, such as a key. */
  add(secret: string): void;
  /** The first secret in `text`; undefined when there is none. */
  find(text: string): string | undefined;
}

export function createSecrets(): Secrets {
  const prefix = `canary-${randomBytes(4).toString('hex')}-`;
  const all = new Set<string>();
  return {
    prefix,
    make(name) {
      const secret = `${prefix}${name}-${randomBytes(8).toString('hex')}`;
      all.add(secret);
      return secret;
    },
    add: (secret) => void all.add(secret),
    find: (text) => [...all].find((secret) => text.includes(secret)),
  };
}
