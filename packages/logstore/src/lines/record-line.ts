import { crc32 } from 'node:zlib';
import { SEVERITIES, type Severity } from '@berth/contract';
import type { LogInput, StoredEntry } from '../entry/log-entry.ts';
import { timestampMs } from '../entry/timestamp.ts';
import { encodeRequest } from './encode-request.ts';

/**
 * A line: eight hex digits of CRC-32 (of the bytes from `{` to `}`), a space, the entry as JSON with its timestamp
 * first, a newline. The checksum detects lines that a crash or a failing disk left incomplete.
 */
const CRC_LENGTH = 8;
const JSON_START = CRC_LENGTH + 1;
const NEWLINE = 10;

/**
 * Maximum characters of an encoded entry; longer ones are truncated. Four times the longest line of the output parser.
 */
const ENTRY_CHARACTERS_MAX = 1_048_576;
const CUT_MESSAGE_CHARACTERS = 131_072;

type StoredFields = Omit<StoredEntry, 'insertId'>;

/**
 * Returns an entry as JSON, without its timestamp. Never throws: values that JSON can't represent, or that are too
 * long, are left out.
 */
export function encodeBody(input: LogInput): string {
  try {
    const body = isPlainRequest(input) ? encodeRequest(input) : encodeAny(input);
    if (body.length <= ENTRY_CHARACTERS_MAX) return body;
  } catch {
    // A cycle, a bigint, or nesting deeper than the stack: the message is still worth keeping.
  }
  const { logName, severity, message, revision, instance, trace } = input;
  const cut = message.slice(0, CUT_MESSAGE_CHARACTERS);
  return JSON.stringify({ logName, severity, message: cut, revision, instance, trace, labels: { truncated: 'true' } });
}

function encodeAny({ timeMs: _, ...entry }: LogInput): string {
  return JSON.stringify(entry);
}

/** True for a request's entry that has only the fields of the template. */
function isPlainRequest(input: LogInput): input is LogInput & Required<Pick<LogInput, 'httpRequest'>> {
  return input.httpRequest !== undefined && input.jsonPayload === undefined && input.labels === undefined;
}

/** Returns the line of an entry, newline included. */
export function encodeLine(timestamp: string, body: string): string {
  const json = `{"timestamp":"${timestamp}",${body.slice(1)}`;
  return `${crc32(json).toString(16).padStart(CRC_LENGTH, '0')} ${json}\n`;
}

/** Returns the fields of a line (newline included); undefined when the line is incomplete. */
export function decodeLine(line: Buffer): StoredFields | undefined {
  const json = jsonOfLine(line);
  return json && (JSON.parse(json.toString()) as StoredFields);
}

/** Returns the JSON of a line (newline included) without copying it; undefined when the line is incomplete. */
export function jsonOfLine(line: Buffer): Buffer | undefined {
  const end = line.length - 1;
  if (end <= JSON_START || line[end] !== NEWLINE) return undefined;
  const json = line.subarray(JSON_START, end);
  return Number.parseInt(line.toString('latin1', 0, CRC_LENGTH), 16) === crc32(json) ? json : undefined;
}

/** Bytes that contain a line's timestamp and severity, when they are written first. */
const HEAD_BYTES = 120;
const HEAD = /^\{"timestamp":"([^"]{30})","logName":"[a-z]+","severity":"([A-Z]+)"/;

/**
 * Returns the timestamp and severity of a line (newline included), in most cases without parsing its JSON; undefined
 * when the line is incomplete.
 */
export function readLineHead(line: Buffer): { readonly timestamp: string; readonly severity: Severity } | undefined {
  const json = jsonOfLine(line);
  if (!json) return undefined;
  const [, timestamp, severity] = HEAD.exec(json.toString('latin1', 0, HEAD_BYTES)) ?? [];
  if (timestamp === undefined || !SEVERITIES.includes(severity as Severity)) return decodeLine(line);
  return { timestamp, severity: severity as Severity };
}

/**
 * Returns the stored entry of a line. `scopeTag`, which differs between scopes, makes an `insertId` unique across
 * deployments that log in the same nanosecond.
 */
export function toStoredEntry({ timestamp, ...rest }: StoredFields, scopeTag: string): StoredEntry {
  const nanos = BigInt(timestampMs(timestamp)) * 1_000_000n + BigInt(timestamp.slice(23, 29));
  return { timestamp, insertId: `${scopeTag}${nanos.toString(36)}`, ...rest };
}
