import { openSpan } from '@berth/agent-core';
import { describeError, type Logger } from '@berth/kit';
import { context, propagation, trace } from '@opentelemetry/api';
import type { TurnTracing } from './trace-turns.ts';

/** The tracing of an agent. */
export interface Tracing {
  readonly isContentCaptured: TurnTracing['isContentCaptured'];
  /** Sends what was recorded, and stops the SDK if this agent started it. */
  close(): Promise<void>;
}

export interface OpenTracingOptions {
  /** The service's name in traces, unless `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` has one. */
  readonly agentName: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Loads the SDK; replaced by tests. */
  load?(): Promise<Pick<typeof import('@opentelemetry/sdk-node'), 'NodeSDK'>>;
}

/** Variables that ask for an export. Source: OpenTelemetry specification, "OTLP exporter", "Environment variables". */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
const SDK = '@opentelemetry/sdk-node';

/**
 * Opens the tracing of an agent: the SDK that the program registered, else one of its own when the environment's standard `OTEL_*`
 * variables ask for it. Undefined when tracing is off, which is the default; then nothing is loaded.
 */
export async function openTracing(options: OpenTracingOptions): Promise<Tracing | undefined> {
  const { environment } = options;
  const isContentCaptured = isTrue(environment['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']);
  if (isTrue(environment['OTEL_SDK_DISABLED'])) return undefined;
  if (isRegistered()) return { isContentCaptured, async close() {} };
  if (!isAskedFor(environment)) return undefined;
  const sdk = await startSdk(options);
  return sdk && { isContentCaptured, close: sdk.close };
}

function isRegistered(): boolean {
  const probe = openSpan('probe');
  // The span is never ended, so it is not exported.
  return probe !== undefined;
}

function isAskedFor(environment: OpenTracingOptions['environment']): boolean {
  const exporter = environment['OTEL_TRACES_EXPORTER'];
  if (exporter !== undefined && exporter !== '') return exporter !== 'none';
  return ENDPOINTS.some((name) => environment[name] !== undefined && environment[name] !== '');
}

/** Starts the SDK, which reads the `OTEL_*` variables itself. Traces are no reason not to serve: a failure is logged. */
async function startSdk({
  agentName,
  environment,
  logger,
  load = () => import('@opentelemetry/sdk-node'),
}: OpenTracingOptions) {
  try {
    const { NodeSDK } = await load();
    const isNamed =
      environment['OTEL_SERVICE_NAME'] || /(^|,)\s*service\.name=/.test(environment['OTEL_RESOURCE_ATTRIBUTES'] ?? '');
    // Agents record traces only.
    const sdk = new NodeSDK({
      ...(!isNamed && { serviceName: agentName }),
      metricReaders: [],
      logRecordProcessors: [],
    });
    sdk.start();
    return {
      async close() {
        await sdk
          .shutdown()
          .catch((error) => logger.warn({ error: describeError(error) }, 'the last traces could not be sent'));
        for (const api of [trace, context, propagation]) api.disable();
      },
    };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    const what = isMissing ? `${SDK} is not installed: npm install ${SDK}` : `${SDK} does not start`;
    logger.error(
      isMissing ? {} : { error: describeError(error) },
      `OTEL_* variables ask for traces, and ${what}. Nothing is traced.`,
    );
    return undefined;
  }
}

function isTrue(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === 'true';
}
