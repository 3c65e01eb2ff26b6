import { createError } from '@berth/contract/errors';
import { fromWireError, type MessagePort, toWireError, type WireError } from '@berth/gateway/workers';

/** One side's part of a conversation of calls. Both sides may call; each numbers its own. */
export type CallMessage =
  | { readonly kind: 'call'; readonly call: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'abort'; readonly call: number }
  | { readonly kind: 'taken'; readonly call: number }
  | { readonly kind: 'event'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'done'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly call: number; readonly error: WireError };

export type CallPort = MessagePort<CallMessage, CallMessage>;

/** What a handler is told besides its argument. */
export interface CallContext {
  /** Aborts when the caller gives up, and when it is gone. */
  readonly signal: AbortSignal;
  /** Tells the caller something on the way; resolves when it may be told more. */
  emit(value: unknown): Promise<void>;
}

/** What one side answers, by name. Arguments and results are structured clones. */
export type CallHandlers = Readonly<Record<string, (argument: never, context: CallContext) => unknown>>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Takes what the handler emits, in order and one at a time; a failure becomes that of the call. */
  readonly onEvent?: (value: unknown) => void | Promise<void>;
}

/** Calls what the other side handles. */
export interface Calls<Remote extends CallHandlers> {
  /**
   * @throws what the handler threw, a BerthError as one; `unavailable` when the other process ends before it answered.
   */
  call<Name extends keyof Remote & string>(
    name: Name,
    argument: Parameters<Remote[Name]>[0],
    options?: CallOptions,
  ): Promise<Awaited<ReturnType<Remote[Name]>>>;
}

/** What was emitted and not yet taken, at most: enough that a build's output does not wait for each of its lines. */
const WINDOW = 64;

interface OwnCall {
  readonly options: CallOptions;
  events: Promise<void>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface ServedCall {
  readonly abort: AbortController;
  untaken: number;
  wake: () => void;
}

/** Calls in both directions over one port. When it closes, what was called fails and what is handled is aborted. */
export function createCalls<Remote extends CallHandlers>(port: CallPort, handlers: CallHandlers): Calls<Remote> {
  const own = new Map<number, OwnCall>();
  const served = new Map<number, ServedCall>();
  let lastCall = 0;
  let isClosed = false;

  const serve = async ({ call, name, argument }: Extract<CallMessage, { kind: 'call' }>) => {
    const state: ServedCall = { abort: new AbortController(), untaken: 0, wake: () => {} };
    served.set(call, state);
    const emit = async (value: unknown) => {
      port.post({ kind: 'event', call, value });
      state.untaken++;
      while (state.untaken >= WINDOW && !isClosed) {
        await new Promise<void>((resolve) => {
          state.wake = resolve;
        });
      }
    };
    try {
      const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
      if (handler === undefined) throw new Error(`nothing answers "${name}"`);
      const value = await handler(argument as never, { signal: state.abort.signal, emit });
      port.post({ kind: 'done', call, value });
    } catch (error) {
      port.post({ kind: 'failed', call, error: toWireError(error) });
    } finally {
      served.delete(call);
    }
  };

  const end = (call: number, settle: (state: OwnCall) => void) => {
    const state = own.get(call);
    own.delete(call);
    // What was emitted before the end is handed over before it.
    state?.events.then(() => settle(state), state.reject);
  };

  port.onMessage((message) => {
    const { kind, call } = message;
    if (kind === 'call') void serve(message);
    else if (kind === 'abort') served.get(call)?.abort.abort();
    else if (kind === 'done') end(call, (state) => state.resolve(message.value));
    else if (kind === 'failed') end(call, (state) => state.reject(fromWireError(message.error)));
    else if (kind === 'taken') {
      const state = served.get(call);
      if (state === undefined) return;
      state.untaken--;
      state.wake();
    } else {
      const state = own.get(call);
      if (state === undefined) return;
      state.events = state.events.then(() => state.options.onEvent?.(message.value));
      // Taken even when it could not be: the handler must not wait for ever. The call itself fails with it.
      const taken = () => port.post({ kind: 'taken', call });
      state.events.then(taken, taken);
    }
  });
  port.onClose(() => {
    isClosed = true;
    const error = createError('unavailable', 'Another process of Berth has ended; it is being started again.');
    for (const call of [...own.keys()]) end(call, (state) => state.reject(error));
    for (const state of served.values()) {
      state.abort.abort();
      state.wake();
    }
  });

  return {
    call: (name, argument, options = {}) =>
      new Promise((resolve, reject) => {
        const { signal } = options;
        signal?.throwIfAborted();
        if (isClosed) throw createError('unavailable', 'Another process of Berth has ended; try again.');
        const call = ++lastCall;
        const abort = () => port.post({ kind: 'abort', call });
        signal?.addEventListener('abort', abort, { once: true });
        const settled = <Value>(settle: (value: Value) => void) => {
          return (value: Value) => {
            signal?.removeEventListener('abort', abort);
            settle(value);
          };
        };
        own.set(call, {
          options,
          events: Promise.resolve(),
          resolve: settled(resolve as (value: unknown) => void),
          reject: settled(reject),
        });
        port.post({ kind: 'call', call, name, argument });
      }),
  };
}
