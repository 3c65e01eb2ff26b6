import type { Severity } from '@berth/contract';
import type { LogInput } from '../entry/log-entry.ts';
import { liftFields } from './lift-fields.ts';
import { leadingSeverity, parseSeverity } from './severity-word.ts';

/** A stream of a program's output. */
export type OutputStreamName = 'stdout' | 'stderr';

/** What a line of output says. */
export type ParsedLine = Pick<
  LogInput,
  'severity' | 'message' | 'jsonPayload' | 'timeMs' | 'trace' | 'labels' | 'httpRequest'
>;

const DEFAULT_SEVERITY: Readonly<Record<OutputStreamName, Severity>> = { stdout: 'INFO', stderr: 'WARNING' };

/**
 * Reads a line of output. A JSON object gives its `message`, with its `stack` below where it has one, or itself as text without a message,
 * and its `severity`, or `level` where that is a severity word, and what `liftFields` knows; any other line its leading level word. Source:
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

/** `TypeError: `, `Error [ERR_HTTP]: `, `java.io.IOException: `: what stands before the message in a stack's first line. */
const ERROR_NAME = /^[\w$.]+(?: \[[\w$]+\])?: /;

/** The text of a JSON line: message and stack, or the stack alone where it begins with that message; undefined without a message. */
function messageOf({ message, stack }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof message !== 'string') return undefined;
  if (typeof stack !== 'string' || stack === '' || message.includes(stack)) return message;
  if (message === '') return stack;
  const head = ERROR_NAME.exec(stack)?.[0] ?? '';
  const hasMessage = [head, ''].some((before) => `${stack}\n`.startsWith(`${before}${message}\n`));
  return hasMessage ? stack : `${message}\n${stack}`;
}

/** The entry of a stack trace: an error, unless its first line tells another level. */
export function parseTrace(text: string): ParsedLine {
  return { severity: leadingSeverity(text) ?? 'ERROR', message: text };
}

function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const trimmed = text.trim();
  // Most lines are no JSON: an exception for each would cost more than all else.
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return undefined;
  try {
    return JSON.parse(trimmed) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
