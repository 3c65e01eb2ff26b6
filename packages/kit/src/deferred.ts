/** A promise together with the functions that settle it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(reason: unknown): void;
}

/** Creates a pending promise together with its `resolve` and `reject` functions. */
export function createDeferred<Value = void>(): Deferred<Value> {
  return Promise.withResolvers<Value>();
}
