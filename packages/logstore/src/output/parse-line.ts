import type { Severity } from '@berth/contract';
import type { LogInput } from '../log-store.ts';
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
 * Reads a line of output. A JSON object gives its `message`, or itself as text without one, and its `severity`, or
 * `level` where that is a severity word, and what `liftFields` knows; any other line its leading level word. Source: spec
 * control-plane 6.
 */
export function parseLine(text: string, stream: OutputStreamName): ParsedLine {
  const jsonPayload = parseJsonObject(text);
  if (!jsonPayload) return { severity: leadingSeverity(text) ?? DEFAULT_SEVERITY[stream], message: text };
  const { message, severity, level } = jsonPayload;
  return {
    severity: parseSeverity(severity) ?? parseSeverity(level) ?? DEFAULT_SEVERITY[stream],
    message: typeof message === 'string' ? message : text,
    jsonPayload,
    ...liftFields(jsonPayload),
  };
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
