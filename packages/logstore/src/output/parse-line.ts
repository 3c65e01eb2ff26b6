import type { Severity } from '@berth/contract';
import type { LogInput } from '../entry/log-entry.ts';
import { liftFields } from './lift-fields.ts';
import { leadingSeverity, parseSeverity } from './severity-word.ts';

/** A stream of a program's output. */
export type OutputStreamName = 'stdout' | 'stderr';

/** The fields that a line of output sets. */
export type ParsedLine = Pick<
  LogInput,
  'severity' | 'message' | 'jsonPayload' | 'timeMs' | 'trace' | 'labels' | 'httpRequest'
>;

const DEFAULT_SEVERITY: Readonly<Record<OutputStreamName, Severity>> = { stdout: 'INFO', stderr: 'WARNING' };

/**
 * Parses a line of output. A JSON object sets the text to its `message` with its `stack` below, or to itself without a
 * message; the severity to its `severity`, or to its `level` when that is a severity word; and the fields of
 * `liftFields`. Any other line is text, with the severity of its leading level word. Source:
 * docs/contract/control-plane.md §6.
 */
export function parseLine(text: string, stream: OutputStreamName): ParsedLine {
  const jsonPayload = parseJsonObject(text);
  if (!jsonPayload) return { severity: leadingSeverity(text) ?? DEFAULT_SEVERITY[stream], message: text };
  const { severity, level } = jsonPayload;
  return {
    severity: parseSeverity(severity) ?? parseSeverity(level) ?? DEFAULT_SEVERITY[stream],
    message: messageOf(jsonPayload) ?? text,
    jsonPayload,
    ...liftFields(jsonPayload),
  };
}

/**
 * Matches what precedes the message in a stack's first line: `TypeError: `, `Error [ERR_HTTP]: `, `java.io.IOException:
 * `.
 */
const ERROR_NAME = /^[\w$.]+(?: \[[\w$]+\])?: /;

/**
 * Returns the text of a JSON line: message and stack, or only the stack when it begins with that message; undefined
 * without a message.
 */
function messageOf({ message, stack }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof message !== 'string') return undefined;
  if (typeof stack !== 'string' || stack === '' || message.includes(stack)) return message;
  if (message === '') return stack;
  const head = ERROR_NAME.exec(stack)?.[0] ?? '';
  const hasMessage = [head, ''].some((before) => `${stack}\n`.startsWith(`${before}${message}\n`));
  return hasMessage ? stack : `${message}\n${stack}`;
}

/** Returns the fields of a stack trace: severity ERROR, unless its first line begins with another level. */
export function parseTrace(text: string): ParsedLine {
  return { severity: leadingSeverity(text) ?? 'ERROR', message: text };
}

function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const trimmed = text.trim();
  // Most lines are not JSON, and an exception for each would cost more than everything else.
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return undefined;
  try {
    return JSON.parse(trimmed) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
