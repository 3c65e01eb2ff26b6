import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanText } from '../output/clean-text.ts';
import { formatDuration } from '../output/format-duration.ts';
import type { Style } from '../output/style.ts';

/** Options of {@link createServiceLog}. */
export interface ServiceLogOptions {
  readonly style: Style;
  /** The project, whose own lines of a stack trace are shown with their source. */
  readonly folder: string;
}

type Entry = Readonly<Record<string, unknown>>;

/** Fields with a place of their own in a formatted line, and ids that only matter where many people use a service. */
const PLACED: ReadonlySet<string> = new Set([
  ...['severity', 'level', 'time', 'timestamp', 'message', 'msg', 'stack', 'event'],
  ...['error_id', 'requestId', 'chatId', 'runId', 'userId', 'trace'],
]);
/** Longest value of a field, of a tool's arguments and of its result, in characters. */
const MAX_VALUE = 200;

/**
 * Creates a function that formats a line that a service printed. A line of JSON with a message becomes time, level, message and
 * fields, its stack trace below with the source of the project's own line; an agent's tool calls and the usage of its turns
 * become a line each. Any other line is returned as it is.
 */
export function createServiceLog({ style, folder }: ServiceLogOptions): (line: string) => string {
  const clean = (text: string) => cleanText(text, { keepsColour: style.hasColor });
  return (line) => {
    const entry = parseEntry(line);
    if (!entry) return clean(line);
    const { event, stack } = entry;
    const head = `${style.dim(timeOf(entry))} `;
    if (event === 'tool') return head + formatTool(entry, style);
    if (event === 'usage') return head + formatUsage(entry, style);
    if (entry['message'] === 'request' && 'status' in entry) return head + formatRequest(entry, style);
    const text = typeof entry['message'] === 'string' ? entry['message'] : String(entry['msg'] ?? '');
    const fields = Object.entries(entry).filter(([name]) => !PLACED.has(name));
    const shown = fields.map(([name, value]) => style.dim(`${cleanText(name)}=${shorten(value)}`));
    const first = [formatLevel(entry, style), clean(text).replaceAll('\n', '\n  '), ...shown].join(' ');
    return head + first + (typeof stack === 'string' ? `\n${formatStack(stack, folder, style)}` : '');
  };
}

function parseEntry(line: string): Entry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const { message, msg, event, level, severity } = Object(value) as Entry;
    const isEntry = [message, msg].some((one) => typeof one === 'string') || typeof event === 'string';
    return isEntry && (level ?? severity) !== undefined ? (value as Entry) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the local time of an entry as `14:05:09`; the current time if it has none. */
function timeOf({ time, timestamp }: Entry): string {
  const at = new Date((time ?? timestamp ?? Number.NaN) as string | number);
  const date = Number.isNaN(at.getTime()) ? new Date() : at;
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Names of pino's numbers. */
const PINO: Readonly<Record<number, string>> = {
  10: 'DEBUG',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARNING',
  50: 'ERROR',
  60: 'CRITICAL',
};

function formatLevel({ severity, level }: Entry, style: Style): string {
  const word = typeof level === 'number' ? (PINO[level] ?? 'INFO') : String(severity ?? level).toUpperCase();
  const text = cleanText(word).slice(0, 8);
  if (/^(ERR|CRIT|FATAL|ALERT|EMERG)/.test(text)) return style.red(text);
  if (text.startsWith('WARN')) return style.yellow(text);
  return /^(INFO|NOTICE)/.test(text) ? style.cyan(text) : style.dim(text);
}

function formatTool(entry: Entry, style: Style): string {
  const { tool, args, ok, result } = entry;
  const sign = ok === false ? style.red(style.signs.failed) : style.green(style.signs.done);
  const call = `${style.magenta('tool')} ${sign} ${style.bold(cleanText(String(tool)))} ${shorten(args)}`;
  return `${call} ${style.dim(`→ ${shorten(result)} ${durationOf(entry)}`.trimEnd())}`;
}

function formatUsage(entry: Entry, style: Style): string {
  const count = (...names: string[]) => Number(names.map((name) => entry[name]).find((one) => one !== undefined) ?? 0);
  const cost = Number(entry['cost'] ?? 0);
  const facts = [
    cleanText(String(entry['model'] ?? '')),
    `${count('input', 'input_tokens')} tokens in, ${count('output', 'output_tokens')} out`,
    ...(cost > 0 ? [`$${cost}`] : []),
    ...(durationOf(entry) === '' ? [] : [durationOf(entry)]),
  ];
  return `${style.magenta('turn')} ${style.dim(facts.join(' · '))}`;
}

function formatRequest({ method, path: target, status, durationMs }: Entry, style: Style): string {
  const paint = Number(status) >= 500 ? style.red : Number(status) >= 400 ? style.yellow : style.green;
  const request = `${shorten(method)} ${shorten(target)}`;
  return `${request} ${paint(shorten(status))} ${style.dim(durationOf({ duration_ms: durationMs }))}`;
}

function durationOf({ duration_ms: ms }: Entry): string {
  if (typeof ms !== 'number') return '';
  return ms < 1_000 ? `${Math.round(ms)} ms` : formatDuration(ms);
}

function shorten(value: unknown): string {
  const text = cleanText(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/\s+/g, ' ');
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE).toWellFormed()}…`;
}

/** Matches the end of a stack frame: a file, a line and a column. */
const FRAME = /^\s*at .*?\(?((?:file:\/\/)?(?:\/|[A-Za-z]:\\)[^()]*?):(\d+):(\d+)\)?$/;
/** Lines of source before and after the one that is named. */
const AROUND = 2;

/**
 * Formats a stack trace with all of its causes. Frames outside of the project are dim, and the first frame in the project of each
 * error is followed by its source.
 */
function formatStack(stack: string, folder: string, style: Style): string {
  let isShown = false;
  const lines = cleanText(stack)
    .split('\n')
    .flatMap((line) => {
      if (!/^\s*at /.test(line)) {
        // The next error of the chain.
        if (line.trim() !== '') isShown = false;
        return [`  ${style.red(line)}`];
      }
      const [, location = '', row = '', column = ''] = FRAME.exec(line) ?? [];
      const file = location.startsWith('file://') ? fileURLToPath(location) : location;
      const relative = path.relative(folder, file);
      const isOwn = file !== '' && !relative.startsWith('..') && !/(^|[/\\])node_modules[/\\]/.test(relative);
      if (!isOwn) return [`  ${style.dim(line)}`];
      const frame = `  ${line.replace(location, relative)}`;
      if (isShown) return [frame];
      isShown = true;
      return [frame, ...sourceAround(file, Number(row), Number(column), style)];
    });
  return lines.join('\n');
}

function sourceAround(file: string, row: number, column: number, style: Style): string[] {
  let source: string[];
  try {
    source = readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    // The file was removed or replaced after the service started.
    return [];
  }
  const first = Math.max(1, row - AROUND);
  const width = String(row + AROUND).length;
  return source.slice(first - 1, row + AROUND).flatMap((text, index) => {
    const number = first + index;
    const line = `${String(number).padStart(width)} ${style.signs.bar} ${cleanText(text)}`;
    if (number !== row) return [`      ${style.dim(line)}`];
    const caret = `${' '.repeat(width)} ${style.signs.bar} ${' '.repeat(Math.max(0, column - 1))}^`;
    return [`    ${style.red('>')} ${line}`, `      ${style.red(caret)}`];
  });
}
