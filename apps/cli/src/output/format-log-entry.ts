import type { LogEntry, Severity } from '@berth/contract';
import { cleanText } from './clean-text.ts';
import type { Style } from './style.ts';

/** How {@link formatLogEntry} renders an entry. */
export interface LogEntryLook {
  readonly style: Style;
  /** Local time to the millisecond for people; otherwise the whole timestamp. */
  readonly isForPeople: boolean;
  /** Colors the instance, which entries have where it was asked for. */
  paintInstance?(instance: string): string;
}

/** Creates a function that gives each instance a color of its own, in the order in which they appear. */
export function createInstancePaint({ cyan, green, yellow, magenta }: Style): (instance: string) => string {
  const paints = [cyan, magenta, green, yellow];
  const given = new Map<string, (text: string) => string>();
  return (instance) => {
    const paint = given.get(instance) ?? paints[given.size % paints.length] ?? String;
    given.set(instance, paint);
    return paint(instance);
  };
}

/** Formats a log entry as a line: time, instance where it has one, severity, message. */
export function formatLogEntry(entry: LogEntry, { style, isForPeople, paintInstance = String }: LogEntryLook): string {
  const { instance } = entry;
  const place = instance === undefined ? '' : `${instance === null ? '-' : paintInstance(cleanText(instance))} `;
  if (!isForPeople) {
    return `${entry.timestamp} ${place}${entry.severity} ${cleanText(entry.message)}`;
  }
  const severity = paintSeverity(entry.severity, entry.severity.padEnd(8), style);
  const message = cleanText(entry.message, { keepsColour: style.hasColor }).replaceAll('\n', '\n  ');
  return `${style.dim(localTime(entry.timestamp))} ${place}${severity} ${paintRequest(message, style)}`;
}

/** Matches the platform's message of a served request: `GET /path 200 12 ms…`. */
const REQUEST = /^([A-Z]{3,10}) (\S+) (\d{3}) (\d+ ms(?: \(.*\))?)$/;

/** Colors the status in a request's message; returns any other message unchanged. */
function paintRequest(message: string, style: Style): string {
  const [, method, url, status = '', rest] = REQUEST.exec(message) ?? [];
  if (method === undefined || url === undefined || rest === undefined) return message;
  return `${style.bold(method)} ${url} ${paintStatusCode(status, style)} ${style.dim(rest)}`;
}

function paintStatusCode(status: string, style: Style): string {
  if (status >= '500') return style.red(status);
  return status >= '400' ? style.yellow(status) : style.green(status);
}

function paintSeverity(severity: Severity, text: string, style: Style): string {
  switch (severity) {
    case 'DEFAULT':
    case 'DEBUG':
      return style.dim(text);
    case 'INFO':
    case 'NOTICE':
      return style.cyan(text);
    case 'WARNING':
      return style.yellow(text);
    default:
      return style.red(text);
  }
}

/** Formats a time as `01-31 14:05:09.123` in the machine's time zone. */
function localTime(timestamp: string): string {
  const at = new Date(timestamp);
  if (Number.isNaN(at.getTime())) return cleanText(timestamp);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${date} ${time}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
