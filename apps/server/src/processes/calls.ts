import { createError } from '@berth/contract/errors';
import { fromWireError, type MessagePort, toWireError, type WireError } from '@berth/gateway/workers';

/** A message of the call protocol. Both sides may call, and each numbers its own calls. */
export type CallMessage =
  | { readonly kind: 'call'; readonly call: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'abort'; readonly call: number }
  | { readonly kind: 'taken'; readonly call: number }
  | { readonly kind: 'event'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'done'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly call: number; readonly error: WireError };

/** A port that carries {@link CallMessage}s in both directions. */
export type CallPort = MessagePort<CallMessage, CallMessage>;

/** Context of a handler besides its argument. */
export interface CallContext {
  /** Aborts when the caller cancels or its process ends. */
  readonly signal: AbortSignal;
  /** Sends the caller a value before the result; resolves when there is room for another. */
  emit(value: unknown): Promise<void>;
}

/** The calls that one side handles, by name. Arguments and results are structured clones. */
export type CallHandlers = Readonly<Record<string, (argument: never, context: CallContext) => unknown>>;

/** Options of {@link Calls.call}. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Receives the values that the handler emits, in order and one at a time. If it throws, the call fails. */
  readonly onEvent?: (value: unknown) => void | Promise<void>;
}

/** Calls to the other side. */
export interface Calls<Remote extends CallHandlers> {
  /**
   * Calls a handler of the other side.
   * @throws the handler's error, a BerthError as such; `unavailable` when the other process ends before it answers
   */
  call<Name extends keyof Remote & string>(
    name: Name,
    argument: Parameters<Remote[Name]>[0],
    options?: CallOptions,
  ): Promise<Awaited<ReturnType<Remote[Name]>>>;
}

/** Maximum number of emitted values in flight: enough that a build's output doesn't wait for each line. */
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

/** Creates calls in both directions over one port. When it closes, pending calls fail and running handlers are aborted. */
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
      if (handler === undefined) throw new Error(`no handler for "${name}"`);
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
    // Values emitted before the result are delivered before it.
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
      // Acknowledged even when the receiver threw, or the handler would wait forever. The call fails with that error.
      const taken = () => port.post({ kind: 'taken', call });
      state.events.then(taken, taken);
    }
  });
  port.onClose(() => {
    isClosed = true;
    const error = createError('unavailable', 'Another Berth process ended and is being restarted.');
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
        if (isClosed) throw createError('unavailable', 'Another Berth process ended. Try again.');
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
