import type { KyselyPlugin } from 'kysely';

/** Counts what a process does to the outside, and lets it die at one of these moments. */
export interface Moments {
  readonly count: number;
  readonly isDead: boolean;
  /** Dies at moment `at`: that and everything after it does not happen. */
  dieAt(at: number): void;
  die(): void;
  /** Resolves when it died. */
  readonly died: Promise<void>;
  /** A query plugin that makes each query a moment. */
  readonly plugin: KyselyPlugin;
  /** The same object, whose async methods are moments at their start and at their end. */
  mortal<Port extends object>(port: Port): Port;
}

/** A process that is gone answers nothing. */
const never = () => new Promise<never>(() => {});

export function createMoments(): Moments {
  let count = 0;
  let last = Number.POSITIVE_INFINITY;
  let isDead = false;
  const { promise: died, resolve } = Promise.withResolvers<void>();
  const die = () => {
    isDead = true;
    resolve();
  };
  /** False when it died. */
  const pass = (): boolean => {
    if (isDead) return false;
    count++;
    if (count >= last) die();
    return !isDead;
  };
  return {
    get count() {
      return count;
    },
    get isDead() {
      return isDead;
    },
    dieAt(at) {
      last = at;
    },
    die,
    died,
    plugin: {
      transformQuery({ node }) {
        if (!pass()) throw new Error('the process is dead');
        return node;
      },
      transformResult: async ({ result }) => result,
    },
    mortal<Port extends object>(port: Port): Port {
      return new Proxy(port, {
        get(target, key, receiver) {
          const value: unknown = Reflect.get(target, key, receiver);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            if (!pass()) return never();
            const result: unknown = Reflect.apply(value, target, args);
            if (!(result instanceof Promise)) return result;
            return result.then(
              (answer) => (pass() ? answer : never()),
              (error: unknown) => (pass() ? Promise.reject(error) : never()),
            );
          };
        },
      });
    },
  };
}
