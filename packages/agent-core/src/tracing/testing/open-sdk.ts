import { context, propagation, trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';

/** An OpenTelemetry SDK as a program registers its own, with the spans that have ended. */
export interface TestSdk extends AsyncDisposable {
  spans(): readonly ReadableSpan[];
  /** Returns the first span of the name. @throws Error naming the spans that there are. */
  find(name: string): ReadableSpan;
  /** Returns the names of the spans around this one, the nearest first, then the id of a parent in another program. */
  above(span: ReadableSpan): string[];
}

/** Registers an SDK until it is disposed of. */
export function openTestSdk(): TestSdk {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const sdk = new NodeSDK({ spanProcessors, metricReaders: [], logRecordProcessors: [], autoDetectResources: false });
  sdk.start();
  const spans = () => exporter.getFinishedSpans();
  return {
    spans,
    find(name) {
      const found = spans().find((span) => span.name === name);
      if (found) return found;
      throw new Error(`no span ${name}; there are: ${spans().map((span) => span.name)}`);
    },
    above(span) {
      const around = [];
      let id = span.parentSpanContext?.spanId;
      while (id !== undefined) {
        const parent = spans().find((one) => one.spanContext().spanId === id);
        around.push(parent?.name ?? id);
        id = parent?.parentSpanContext?.spanId;
      }
      return around;
    },
    async [Symbol.asyncDispose]() {
      await sdk.shutdown();
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}
