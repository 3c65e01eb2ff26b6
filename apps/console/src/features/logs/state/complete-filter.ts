import { SEVERITIES } from '@berth/contract/severities';
import {
  type Completion,
  type CompletionOption,
  matching,
  toOption,
} from '../../../components/code-field/completion.ts';
import type { KnownFields } from './known-fields.ts';

/** Fields that every log has, with values to suggest even if no entry has them. Source: docs/guides/log-filters.md. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  severity: SEVERITIES,
  message: [],
  timestamp: [],
  textPayload: [],
  logName: ['"stdout"', '"stderr"', '"requests"', '"system"', '"build"'],
  'httpRequest.status': ['200', '400', '404', '500'],
  'httpRequest.requestMethod': ['"GET"', '"POST"', '"PUT"', '"PATCH"', '"DELETE"'],
  'httpRequest.requestUrl': [],
  'httpRequest.latency': ['"100ms"', '"1s"'],
  'httpRequest.requestSize': [],
  'httpRequest.responseSize': [],
  'httpRequest.remoteIp': [],
  'httpRequest.userAgent': [],
  'httpRequest.coldStart': ['*'],
  'resource.labels.revision_name': [],
  'resource.labels.instance_id': [],
  trace: [],
  insertId: [],
};
const OPERATORS = ['=', '!=', '>=', '<=', '>', '<', ':', '=~', '!~'];

/** A field, an operator, and the beginning of a value: `severity>=ERR`. */
const COMPARISON = /(?:^|[\s(-])([\w/"-]+(?:\.[\w/" -]+?)*)(=~|!~|!=|<=|>=|[=<>:])("?[^\s()=<>!~,"]*)$/;
const WORD = /[^\s()=<>:!~,-][^\s()=<>:!~,]*$/;

/** Returns the field whose value is being typed before the caret, with the typed text. */
export function findWrittenValue(
  text: string,
  caret: number,
): { readonly field: string; readonly written: string } | undefined {
  const before = text.slice(0, caret);
  const [, field, , written = ''] = isInside(before) ? [] : (COMPARISON.exec(before) ?? []);
  return field === undefined ? undefined : { field, written };
}

/** Completes fields, operators and known values of the log filter language. */
export function completeFilter(text: string, caret: number, known: KnownFields): Completion | undefined {
  const before = text.slice(0, caret);
  if (isInside(before)) return undefined;
  const value = findWrittenValue(text, caret);
  if (value) {
    const { field, written } = value;
    const seen: CompletionOption[] = (known.get(field)?.values ?? []).map(({ text: shown, entries }) => ({
      text: shown,
      kind: 'value',
      count: entries,
    }));
    const others = (FIELDS[field] ?? []).filter((one) => !seen.some((option) => option.text === one));
    // Severities keep their order instead of being sorted by frequency.
    const options = field === 'severity' ? inOrder(seen) : [...seen, ...others.map(toOption('value'))];
    return matching(options, written, caret - written.length);
  }
  const word = WORD.exec(before)?.[0] ?? '';
  const names = [...new Set([...Object.keys(FIELDS), ...known.keys()])];
  if (names.includes(word)) return { from: caret, options: OPERATORS.map(toOption('operator')) };
  const fields = names.map((name): CompletionOption => {
    const count = known.get(name)?.entries;
    return { text: name, kind: 'field', ...(count === undefined ? {} : { count }) };
  });
  const hasTerm = /[^\s(]/.test(before.slice(0, before.length - word.length));
  const words = [...(hasTerm ? ['AND', 'OR'] : []), 'NOT'];
  return matching([...fields, ...words.map(toOption('word'))], word, caret - word.length);
}

function inOrder(seen: readonly CompletionOption[]): CompletionOption[] {
  return SEVERITIES.map((text) => seen.find((option) => option.text === text) ?? { text, kind: 'value' });
}

/** Returns whether the caret is in a comment, or in quoted text that isn't the beginning of a value. */
function isInside(before: string): boolean {
  const rest = before.replaceAll(/"(?:[^"\\]|\\[\s\S])*"/g, '');
  return /--[^\n]*$/.test(rest) || /"[^"]*[\s()][^"]*$/.test(rest);
}
