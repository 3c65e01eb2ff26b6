import { type Completion, type CompletionOption, matching } from '../code/completion.ts';
import type { KnownFields } from './log-queries.ts';
import { SEVERITY_ORDER } from './severities.ts';

/** Fields that every log has. Source: docs/guides/log-filters.md. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  severity: SEVERITY_ORDER,
  message: [],
  timestamp: [],
  textPayload: [],
  logName: ['stdout', 'stderr', 'requests', 'system', 'build'],
  'httpRequest.status': ['200', '400', '404', '500'],
  'httpRequest.requestMethod': ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  'httpRequest.requestUrl': [],
  'httpRequest.latency': ['"100ms"', '"1s"'],
  'httpRequest.requestSize': [],
  'httpRequest.responseSize': [],
  'httpRequest.remoteIp': [],
  'httpRequest.userAgent': [],
  'httpRequest.coldStart': ['*'],
  'resource.labels.revision_name': [],
  'resource.labels.instance_id': [],
  'labels.': [],
  trace: [],
  insertId: [],
};
const OPERATORS = ['=', '!=', '>=', '<=', '>', '<', ':', '=~', '!~'];

/** A field, an operator, and what is written of a value: `severity>=ERR`. */
const COMPARISON = /(?:^|[\s(-])([\w/"-]+(?:\.[\w/" -]+?)*)(=~|!~|!=|<=|>=|[=<>:])("?[^\s()=<>:!~,]*)$/;
const WORD = /[^\s()=<>:!~,-][^\s()=<>:!~,]*$/;

/** Completes fields, their operators, and values that were seen, of the log's filter language. */
export function completeFilter(text: string, caret: number, known: KnownFields): Completion | undefined {
  const before = text.slice(0, caret);
  if (isInside(before)) return undefined;
  const [, field, , written = ''] = COMPARISON.exec(before) ?? [];
  if (field !== undefined) {
    const values = [...(FIELDS[field] ?? []), ...(known.get(field) ?? []).map(writeSeen)];
    return matching(values.map(toOption('value')), written, caret - written.length);
  }
  const word = WORD.exec(before)?.[0] ?? '';
  const fields = [...Object.keys(FIELDS), ...known.keys()];
  if (fields.includes(word)) return { from: caret, options: OPERATORS.map(toOption('operator')) };
  const hasTerm = /[^\s(]/.test(before.slice(0, before.length - word.length));
  const words = [...(hasTerm ? ['AND', 'OR'] : []), 'NOT'];
  return matching([...fields.map(toOption('field')), ...words.map(toOption('word'))], word, caret - word.length);
}

const toOption =
  (kind: CompletionOption['kind']) =>
  (text: string): CompletionOption => ({ text, kind });

/** Whether the caret is in quoted text that is not a value's beginning, or in a comment. */
function isInside(before: string): boolean {
  const rest = before.replaceAll(/"(?:[^"\\]|\\[\s\S])*"/g, '');
  return /--[^\n]*$/.test(rest) || /"[^"]*[\s()][^"]*$/.test(rest);
}

function writeSeen(value: string): string {
  return /^-?\d+(\.\d+)?$|^(true|false)$/.test(value) ? value : JSON.stringify(value);
}
