import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { rememberSpan } from './trace-logger.ts';

/** The OpenTelemetry semantic conventions that spans follow; the last release that contains those of generative AI. */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.41.0';
const TRACER = '@berth/agent';

/** Initial attributes of a span. */
export interface SpanOptions {
  readonly attributes?: Attributes;
  /** True for a request to another system. */
  readonly isClient?: boolean;
  /** Whether spans inside may hold what people, models and tools say; as the span around it by default. */
  readonly isContentCaptured?: boolean;
}

/** A span that records. End it exactly once, or declare it with `using`. */
export interface OpenSpan extends Disposable {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  set(attributes: Attributes): void;
  event(name: string, attributes?: Attributes): void;
  /** Marks the span as failed, with `error.type` from the error's `fault`, `code` or name. */
  fail(error: unknown): void;
  end(): void;
  /** Runs `work` inside the span: spans that it opens, also after it waits, are children. */
  run<Result>(work: () => Result): Result;
  /** Returns `items`, read inside the span; the span goes on after them. */
  around<Item, Result>(items: Items<Item, Result>): AsyncGenerator<Item, Result>;
  /** As `around`, but the span ends with the items and fails with them, and it ends when their reader leaves. */
  over<Item, Result>(items: Items<Item, Result>): AsyncGenerator<Item, Result>;
}

const CAPTURE = createContextKey('berth.capture-content');

type Items<Item, Result> = AsyncIterator<Item, Result> | Iterator<Item, Result>;
type Read<Item, Result> = IteratorResult<Item, Result> | Promise<IteratorResult<Item, Result>>;

/**
 * Opens a span below the active one. Undefined when the program has no OpenTelemetry SDK, so that tracing which is off costs one call.
 * Register the SDK before the agent opens.
 */
export function openSpan(name: string, options: SpanOptions = {}): OpenSpan | undefined {
  const { attributes = {}, isClient = false, isContentCaptured: isCaptured } = options;
  const tracer = trace.getTracerProvider().getTracer(TRACER, undefined, { schemaUrl: SCHEMA_URL });
  const span = tracer.startSpan(name, { attributes, kind: isClient ? SpanKind.CLIENT : SpanKind.INTERNAL });
  if (!isSpanContextValid(span.spanContext())) return undefined;
  const inside = trace.setSpan(context.active(), span);
  return wrap(span, isCaptured === undefined ? inside : inside.setValue(CAPTURE, isCaptured));
}

function wrap(span: Span, inside: Context): OpenSpan {
  const fail = (error: unknown) => {
    const { message } = error as Partial<Error>;
    rememberSpan(error, span.spanContext());
    span.recordException(error instanceof Error ? error : String(error));
    span.setAttribute('error.type', errorType(error));
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  };
  return {
    traceId: span.spanContext().traceId,
    set: (attributes) => void span.setAttributes(attributes),
    event: (name, attributes) => void span.addEvent(name, attributes),
    fail,
    end: () => span.end(),
    run: (work) => context.with(inside, work),
    around: (items) =>
      asGenerator(
        items,
        async (ask) => context.with(inside, ask),
        () => {},
      ),
    over(items) {
      let isEnded = false;
      const end = () => {
        if (!isEnded) span.end();
        isEnded = true;
      };
      return asGenerator(
        items,
        async (ask) => {
          try {
            const next = await context.with(inside, ask);
            if (next.done) end();
            return next;
          } catch (error) {
            if (!isEnded) fail(error);
            end();
            throw error;
          }
        },
        end,
      );
    },
    [Symbol.dispose]: () => span.end(),
  };
}

/**
 * Returns a generator that asks `items` through `read`, and calls `onLeft` when its reader leaves early. A generator function would run
 * the items in the context of their reader, and would see that the reader left only after a pending read.
 */
function asGenerator<Item, Result>(
  items: Items<Item, Result>,
  read: (ask: () => Read<Item, Result>) => Promise<IteratorResult<Item, Result>>,
  onLeft: () => void,
): AsyncGenerator<Item, Result> {
  const generator: AsyncGenerator<Item, Result> = {
    next: () => read(() => items.next()),
    async return(value) {
      onLeft();
      const given = await value;
      return items.return ? await items.return(given) : { done: true, value: given };
    },
    throw: (error) =>
      read(() => {
        if (items.throw) return items.throw(error);
        throw error;
      }),
    [Symbol.asyncIterator]: () => generator,
    async [Symbol.asyncDispose]() {
      onLeft();
      await items.return?.();
    },
  };
  return generator;
}

/** Runs `work` inside a span of its own, which fails when the work does. `work` gets undefined when tracing is off. */
export async function withSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span: OpenSpan | undefined) => Promise<Result>,
): Promise<Result> {
  const span = openSpan(name, options);
  if (!span) return work(undefined);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Returns a name of few values for the error. Source: OpenTelemetry 1.41.0, `error.type`. */
function errorType(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '_OTHER';
  const { fault, code, name } = error as { readonly fault?: unknown; readonly code?: unknown; readonly name?: unknown };
  return [fault, code, name].find((one) => typeof one === 'string') ?? '_OTHER';
}

/** Reports whether spans may hold what people, models and tools say. */
export function isContentCaptured(): boolean {
  return context.active().getValue(CAPTURE) === true;
}

/** Returns the attributes that name a server. Its path and query are left out, since they may name people's data. */
export function serverAttributes({ hostname, port, protocol }: URL) {
  const defaultPort = protocol === 'http:' ? 80 : 443;
  return { 'server.address': hostname, 'server.port': port === '' ? defaultPort : Number(port) };
}
