import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { type ExportedEntry, toLogRecords } from './to-log-record.ts';

const compress = promisify(gzip);

/** The receiver can't take entries now; sending them again later may succeed. */
export class ReceiverBusyError extends Error {
  /** How long the receiver wants to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number, cause?: unknown) {
    super(message, { cause });
    this.name = 'ReceiverBusyError';
    this.retryAfterMs = retryAfterMs;
  }
}

/** Where entries are sent. */
export interface LogReceiver {
  /** For example `https://collector.example.com/v1/logs`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The receiver's answer to entries. */
export interface SendResult {
  /** Entries that the receiver refused for good. */
  readonly rejected: number;
  /** Why; empty when none was. */
  readonly reason: string;
}

/** Receivers accept at least this much by default. */
const MAX_BYTES = 4 * 2 ** 20;
const TIMEOUT_MS = 30_000;
/**
 * Statuses that say that the entries themselves are wrong. Others can be mended at the receiver or in the settings, such
 * as a wrong key, and no entry is lost meanwhile.
 */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * Sends entries by OTLP over HTTP, as protobuf. Too many for one request are sent in several.
 * @throws ReceiverBusyError when they should be sent again; then none, some or all arrived
 */
export async function sendLogRecords(
  receiver: LogReceiver,
  entries: readonly ExportedEntry[],
  signal: AbortSignal,
): Promise<SendResult> {
  const message = ProtobufLogsSerializer.serializeRequest([...toLogRecords(entries)]);
  if (!message) throw new Error('log records could not be serialized');
  if (message.byteLength > MAX_BYTES && entries.length > 1) return sendHalves(receiver, entries, signal);
  const response = await post(receiver, await compress(message), signal);
  if (response.status === 413 && entries.length > 1) return sendHalves(receiver, entries, signal);
  if (REFUSALS.has(response.status)) {
    return { rejected: entries.length, reason: `The receiver answered ${response.status}.` };
  }
  if (!response.ok) {
    const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
    throw new ReceiverBusyError(
      `The receiver answered ${response.status}.`,
      Number.isFinite(seconds) ? seconds * 1_000 : undefined,
    );
  }
  const { partialSuccess } = readAnswer(response.body);
  return { rejected: Number(partialSuccess?.rejectedLogRecords ?? 0), reason: partialSuccess?.errorMessage ?? '' };
}

async function sendHalves(
  receiver: LogReceiver,
  entries: readonly ExportedEntry[],
  signal: AbortSignal,
): Promise<SendResult> {
  const half = Math.ceil(entries.length / 2);
  const first = await sendLogRecords(receiver, entries.slice(0, half), signal);
  const second = await sendLogRecords(receiver, entries.slice(half), signal);
  return { rejected: first.rejected + second.rejected, reason: first.reason || second.reason };
}

async function post({ url, headers }: LogReceiver, body: Uint8Array<ArrayBuffer>, signal: AbortSignal) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/x-protobuf', 'Content-Encoding': 'gzip' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const { status, ok } = response;
    return { status, ok, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
  } catch (error) {
    signal.throwIfAborted();
    const { cause } = error as Error;
    throw new ReceiverBusyError(
      `The receiver can't be reached: ${cause instanceof Error ? cause.message : (error as Error).message}`,
      undefined,
      error,
    );
  }
}

/** Receivers answer in their own ways; whatever can't be read says nothing. */
function readAnswer(body: Uint8Array): ReturnType<typeof ProtobufLogsSerializer.deserializeResponse> {
  try {
    return ProtobufLogsSerializer.deserializeResponse(body);
  } catch {
    return {};
  }
}
