/** A string that is an identifier of one kind; two kinds can't be mixed up. */
export type Id<Kind extends string> = string & { readonly __kind: Kind };

export type AccountId = Id<'account'>;
export type DeployId = Id<'deploy'>;
export type InstanceId = Id<'instance'>;

/** Crockford's base 32, lower case: no i, l, o, u, so an id read aloud or in a URL is unambiguous. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Makes ids. Injected, so that tests can have predictable ones. */
export interface IdSource {
  /** `<prefix>_` + 10 characters of time (ms) + 16 of randomness (80 bits): ids made later sort later. */
  next<Kind extends string>(prefix: string): Id<Kind>;
}

/**
 * The ids of production. `nowMs` is wall time; `random` fills bytes from a cryptographic source.
 */
export function createIdSource(
  nowMs: () => number = () => Date.now(),
  random: (size: number) => Uint8Array = (size) => crypto.getRandomValues(new Uint8Array(size)),
): IdSource {
  return {
    next<Kind extends string>(prefix: string) {
      let time = nowMs();
      let text = '';
      for (let i = 0; i < 10; i++) {
        text = ALPHABET[time % 32] + text;
        time = Math.floor(time / 32);
      }
      for (const byte of random(16)) text += ALPHABET[byte & 31];
      return `${prefix}_${text}` as Id<Kind>;
    },
  };
}
