import { createHash } from 'node:crypto';
import { SEVERITIES, type Severity } from '@berth/contract';
import { RE2JS } from 're2js';
import type { LogScope, StoredEntry } from '../../entry/log-entry.ts';
import { type EntryView, viewEntry } from './entry-view.ts';
import type { DerivedField, FilterField, TextName } from './filter-field.ts';
import { compareText, foldCase } from './fold-case.ts';
import { isInNetwork } from './ip-network.ts';
import type { Condition, ExactTest, LogFilter, PayloadTest, TextTest } from './log-filter.ts';
import { isOrdered } from './make-condition.ts';
import { parseNumber } from './parse-quantity.ts';
import type { SearchPhrase } from './search-phrases.ts';

type Test = (view: EntryView) => boolean;

/** Searched in part by words without a field; see {@link WHOLE}. */
export const SEARCHED = ['message', 'userAgent', 'remoteIp'] as const satisfies readonly TextName[];

/** Names and ids: a word finds them only where it is all of them, for parts of an id are everywhere. */
export const WHOLE = [
  'service',
  'revision',
  'instance',
  'trace',
  'insertId',
  'logName',
] as const satisfies readonly TextName[];

/** Looked into by SEARCH without a field. */
export const SEARCHED_WORDS = [...SEARCHED, 'service', 'revision', 'trace'] as const satisfies readonly TextName[];

const RANKS: ReadonlyMap<Severity, number> = new Map(SEVERITIES.map((severity, rank) => [severity, rank]));

/**
 * The filter as a function of one entry of `scope`'s log; undefined lets every entry through. Time linear in the entry,
 * whatever the patterns: they run on RE2. `toSql` gives the same answers.
 */
export function createPredicate(filter: LogFilter | undefined, scope: LogScope): (entry: StoredEntry) => boolean {
  if (!filter) return () => true;
  const test = compile(filter);
  return (entry) => test(viewEntry(entry, scope));
}

function compile(filter: LogFilter): Test {
  switch (filter.kind) {
    case 'and': {
      const tests = filter.terms.map(compile);
      return (view) => tests.every((test) => test(view));
    }
    case 'or': {
      const tests = filter.terms.map(compile);
      return (view) => tests.some((test) => test(view));
    }
    case 'not': {
      const test = compile(filter.term);
      return (view) => !test(view);
    }
    default:
      return compileCondition(filter);
  }
}

function compileCondition(condition: Condition): Test {
  switch (condition.kind) {
    case 'text': {
      const test = compileText(condition.test);
      const { field } = condition;
      const read = field.type === 'derived' ? compileDerived(field) : (view: EntryView) => view.text(field);
      return (view) => {
        const text = read(view);
        return text !== undefined && test(text);
      };
    }
    case 'number': {
      const { field, operator, value } = condition;
      const read = field.type === 'derived' ? compileDerivedNumber(field) : (view: EntryView) => view.number(field);
      return (view) => {
        const number = read(view);
        return number !== undefined && isOrdered(number - value, operator);
      };
    }
    case 'time': {
      const { operator, value } = condition;
      return ({ entry }) => isOrdered(compareText(entry.timestamp, value), operator);
    }
    case 'severity': {
      const ranks = new Set(condition.ranks);
      return ({ entry }) => ranks.has(RANKS.get(entry.severity) ?? 0);
    }
    case 'payload': {
      const test = compilePayload(condition.test);
      return (view) => view.payload(condition.path).some(test);
    }
    case 'nothing':
      return () => false;
    case 'present':
      return (view) => fieldValue(view, condition.field) !== undefined;
    case 'object':
      return (view) => jsonHas(fieldValue(view, condition.field), condition.jsonText);
    case 'anywhere':
      return compileAnywhere(condition.text, condition.jsonText);
    case 'search':
      return compileSearch(condition.field, condition.phrases);
  }
}

function compileText(test: TextTest): (text: string) => boolean {
  if (isExact(test)) return compileExact(test);
  const { operator, text: wanted } = test;
  if (operator === ':') return (text) => foldCase(text).includes(wanted);
  return (text) => isOrdered(compareText(foldCase(text), wanted), operator);
}

function isExact(test: TextTest | PayloadTest): test is ExactTest {
  return test.operator === '=~' || test.operator === 'net' || test.operator === 'sample';
}

function compileExact(test: ExactTest): (text: string) => boolean {
  switch (test.operator) {
    case '=~': {
      const pattern = RE2JS.compile(test.pattern);
      return (text) => pattern.matcher(text).find();
    }
    case 'net':
      return (text) => isInNetwork(text, test);
    case 'sample': {
      const { before } = test;
      return (text) => before === undefined || createHash('md5').update(text).digest('hex').slice(0, 8) < before;
    }
  }
}

function compileDerived({ of, pattern }: DerivedField): (view: EntryView) => string | undefined {
  const compiled = pattern === undefined ? undefined : RE2JS.compile(pattern);
  return (view) => {
    const value = fieldValue(view, of);
    const text = isScalar(value) ? String(value) : undefined;
    if (compiled === undefined || text === undefined) return text;
    const matcher = compiled.matcher(text);
    return matcher.find() ? (matcher.group(1) ?? undefined) : undefined;
  };
}

function compileDerivedNumber(field: DerivedField): (view: EntryView) => number | undefined {
  const read = compileDerived(field);
  return (view) => parseNumber(read(view) ?? '');
}

function compilePayload(test: PayloadTest): (value: unknown) => boolean {
  if (test.operator === 'null') return (value) => value === null;
  const scalar = compileScalar(test);
  if (test.operator === ':') {
    return (value) => (typeof value === 'object' ? jsonHas(value ?? undefined, test.jsonText) : scalar(value));
  }
  return (value) => (Array.isArray(value) ? value.some(scalar) : scalar(value));
}

function compileScalar(test: Exclude<PayloadTest, { operator: 'null' }>): (value: unknown) => boolean {
  if (isExact(test)) {
    const matches = compileText(test);
    return (value) => isScalar(value) && matches(String(value));
  }
  const { operator, number, boolean, text } = test;
  const onText = compileText({ operator, text });
  const order = operator === ':' ? '=' : operator;
  return (value) => {
    if (typeof value === 'string') return onText(value);
    if (typeof value === 'number') return number !== undefined && isOrdered(value - number, order);
    return typeof value === 'boolean' && order === '=' && value === boolean;
  };
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function fieldValue(view: EntryView, field: FilterField): unknown {
  switch (field.type) {
    case 'text':
    case 'label':
      return view.text(field);
    case 'number':
    case 'duration':
    case 'coldStart':
      return view.number(field);
    case 'payload': {
      const values = view.payload(field.path);
      return values.length < 2 ? values[0] : values.map(searchable).join('\n');
    }
    case 'derived': {
      const text = compileDerived(field)(view);
      return field.isNumber ? parseNumber(text ?? '') : text;
    }
    case 'absent':
      return undefined;
    case 'object':
      return view.object(field.name);
    case 'time':
      return view.entry.timestamp;
    case 'severity':
      return view.entry.severity;
  }
}

function jsonHas(value: unknown, wanted: string): boolean {
  return value !== undefined && foldCase(JSON.stringify(value)).includes(wanted);
}

function compileAnywhere(text: string, jsonText: string): Test {
  return (view) => {
    const { entry } = view;
    if (SEARCHED.some((name) => foldCase(view.text({ type: 'text', name }) ?? '').includes(text))) return true;
    if (jsonHas(entry.jsonPayload, jsonText) || jsonHas(entry.labels, jsonText)) return true;
    if (foldCase(entry.severity) === text) return true;
    return WHOLE.some((name) => foldCase(view.text({ type: 'text', name }) ?? '') === text);
  };
}

function compileSearch(field: FilterField | undefined, phrases: readonly SearchPhrase[]): Test {
  const tests = phrases.map(({ words, pattern }) => {
    const compiled = RE2JS.compile(pattern);
    // Looking for the words first spares most texts the expression.
    return (text: string) => words.every((word) => text.includes(word)) && compiled.matcher(text).find();
  });
  return (view) => {
    const texts = field ? [searchable(fieldValue(view, field))] : everyText(view);
    const folded = texts.flatMap((text) => (text === undefined ? [] : [foldCase(text)]));
    return tests.every((test) => folded.some(test));
  };
}

function everyText(view: EntryView): (string | undefined)[] {
  const names = SEARCHED_WORDS.map((name) => view.text({ type: 'text', name }));
  return [...names, searchable(view.entry.jsonPayload), searchable(view.entry.labels)];
}

function searchable(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}
