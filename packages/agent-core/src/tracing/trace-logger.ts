import type { LogFields, Logger } from '@berth/kit';
import { context, isSpanContextValid, type SpanContext, trace } from '@opentelemetry/api';

/** The span in which each error was first seen. A turn's error is logged after the spans that it passed through have ended. */
const spanOfError = new WeakMap<object, SpanContext>();

/** Remembers the active span of an error, unless a span inside it was remembered before. */
export function rememberSpan(error: unknown, span: SpanContext): void {
  if (typeof error === 'object' && error !== null && !spanOfError.has(error)) spanOfError.set(error, span);
}

/** Returns `trace_id` and `span_id` of the span in which `error` was thrown, for its log line; nothing when tracing is off. */
export function traceFieldsOf(error: unknown): LogFields {
  return fieldsOf(typeof error === 'object' && error !== null ? spanOfError.get(error) : undefined);
}

/** Returns the logger with `trace_id` and `span_id` on each line that is written while a trace is active. Fields of the line itself win. */
export function traceLogger(logger: Logger): Logger {
  const traced = (fields: LogFields) => ({ ...fieldsOf(trace.getSpanContext(context.active())), ...fields });
  return {
    debug: (fields, message) => logger.debug(traced(fields), message),
    info: (fields, message) => logger.info(traced(fields), message),
    warn: (fields, message) => logger.warn(traced(fields), message),
    error: (fields, message) => logger.error(traced(fields), message),
    child: (fields) => traceLogger(logger.child(fields)),
  };
}

function fieldsOf(span: SpanContext | undefined): LogFields {
  return span && isSpanContextValid(span) ? { trace_id: span.traceId, span_id: span.spanId } : {};
}
