import { SEVERITIES, type Severity } from '@berth/contract';
import { RE2JS } from 're2js';
import type { LogScope, StoredEntry } from '../../entry/log-entry.ts';
import {
  INDEX,
  NUMBERS,
  OBJECTS,
  PARTLY_MATCHED,
  SEARCHED,
  TEXTS,
  type TextName,
  WHOLLY_MATCHED,
} from './field-table.ts';
import type { DerivedField, StoredField } from './filter-field.ts';
import { compareText, foldCase } from './fold-case.ts';
import type { Condition, LogFilter, PayloadTest } from './log-filter.ts';
import { parseNumber } from './parse-quantity.ts';
import type { SearchPhrase } from './search-phrases.ts';
import { compileText, isExact, isOrdered } from './text-test.ts';

type Test = (entry: StoredEntry, scope: LogScope) => boolean;
/** Returns a field's value; undefined when the entry does not have it. */
type Read = (entry: StoredEntry, scope: LogScope) => unknown;

const RANKS: ReadonlyMap<Severity, number> = new Map(SEVERITIES.map((severity, rank) => [severity, rank]));

/**
 * Compiles the filter to a function of one entry of `scope`'s log. Without a filter every entry matches. Takes time
 * linear in the entry, whatever the patterns: they run on RE2. `toSql` gives the same results.
 */
export function createPredicate(filter: LogFilter | undefined, scope: LogScope): (entry: StoredEntry) => boolean {
  if (!filter) return () => true;
  const test = compile(filter);
  return (entry) => test(entry, scope);
}

function compile(filter: LogFilter): Test {
  switch (filter.kind) {
    case 'and': {
      const tests = filter.terms.map(compile);
      return (entry, scope) => tests.every((test) => test(entry, scope));
    }
    case 'or': {
      const tests = filter.terms.map(compile);
      return (entry, scope) => tests.some((test) => test(entry, scope));
    }
    case 'not': {
      const test = compile(filter.term);
      return (entry, scope) => !test(entry, scope);
    }
    default:
      return compileCondition(filter);
  }
}

function compileCondition(condition: Condition): Test {
  switch (condition.kind) {
    case 'text': {
      const [read, test] = [compileField(condition.field), compileText(condition.test)];
      return (entry, scope) => {
        const text = read(entry, scope);
        return typeof text === 'string' && test(text);
      };
    }
    case 'number': {
      const { field, operator, value } = condition;
      const read = compileField(field);
      return (entry, scope) => {
        const number = read(entry, scope);
        return typeof number === 'number' && isOrdered(number - value, operator);
      };
    }
    case 'time': {
      const { operator, value } = condition;
      return (entry) => isOrdered(compareText(entry.timestamp, value), operator);
    }
    case 'severity': {
      const ranks = new Set(condition.ranks);
      return (entry) => ranks.has(RANKS.get(entry.severity) ?? 0);
    }
    case 'payload': {
      const test = compilePayload(condition.test);
      return (entry) => readPayload(condition.path, entry).some(test);
    }
    case 'nothing':
      return () => false;
    case 'present': {
      const read = compileField(condition.field);
      return (entry, scope) => read(entry, scope) !== undefined;
    }
    case 'object': {
      const read = compileField(condition.field);
      return (entry, scope) => jsonHas(read(entry, scope), condition.jsonText);
    }
    case 'anywhere':
      return compileAnywhere(condition.text, condition.jsonText);
    case 'search':
      return compileSearch(condition.field, condition.phrases);
  }
}

function compileField(field: StoredField): Read {
  switch (field.type) {
    case 'text':
      return TEXTS[field.name].read;
    case 'label':
      return ({ labels }) => ownValue(labels, field.key);
    case 'number':
    case 'duration':
      return NUMBERS[field.name].read;
    case 'coldStart':
      return ({ httpRequest }) => {
        const part = ownValue(httpRequest?.coldStart, field.part);
        return typeof part === 'number' ? part : undefined;
      };
    case 'payload':
      return (entry) => {
        const values = readPayload(field.path, entry);
        return values.length < 2 ? values[0] : values.map(searchable).join('\n');
      };
    case 'derived':
      return compileDerived(field);
    case 'object':
      return OBJECTS[field.name].read;
    case 'time':
      return ({ timestamp }) => timestamp;
    case 'severity':
      return ({ severity }) => severity;
  }
}

function compileDerived({ of, pattern, isNumber }: DerivedField): Read {
  const read = compileField(of);
  const compiled = pattern === undefined ? undefined : RE2JS.compile(pattern);
  return (entry, scope) => {
    const value = read(entry, scope);
    let text = isScalar(value) ? String(value) : undefined;
    if (compiled && text !== undefined) {
      const matcher = compiled.matcher(text);
      text = matcher.find() ? (matcher.group(1) ?? undefined) : undefined;
    }
    return isNumber ? parseNumber(text ?? '') : text;
  };
}

/**
 * Returns the values at a path of the JSON payload: several when it leads through a list of objects; the payload for
 * the empty path. A name leads into an object, and into each object of an array; a number leads to an element of an
 * array.
 */
function readPayload(path: readonly string[], { jsonPayload }: StoredEntry): readonly unknown[] {
  let current: unknown[] = jsonPayload === undefined ? [] : [jsonPayload];
  for (const segment of path) {
    current = current.flatMap((one) => {
      if (!Array.isArray(one)) return [ownValue(one, segment)];
      if (INDEX.test(segment)) return [one[Number(segment)]];
      return one.map((element) => (Array.isArray(element) ? undefined : ownValue(element, segment)));
    });
    current = current.filter((one) => one !== undefined);
  }
  return current;
}

function ownValue(holder: unknown, key: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return undefined;
  return (holder as Readonly<Record<string, unknown>>)[key];
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

function jsonHas(value: unknown, wanted: string): boolean {
  return value !== undefined && foldCase(JSON.stringify(value)).includes(wanted);
}

function compileAnywhere(text: string, jsonText: string): Test {
  return (entry, scope) => {
    const fold = (name: TextName) => foldCase(TEXTS[name].read(entry, scope) ?? '');
    if (PARTLY_MATCHED.some((name) => fold(name).includes(text))) return true;
    if (jsonHas(entry.jsonPayload, jsonText) || jsonHas(entry.labels, jsonText)) return true;
    return foldCase(entry.severity) === text || WHOLLY_MATCHED.some((name) => fold(name) === text);
  };
}

function compileSearch(field: StoredField | undefined, phrases: readonly SearchPhrase[]): Test {
  const tests = phrases.map(({ words, pattern }) => {
    const compiled = RE2JS.compile(pattern);
    // Looking for the words first is cheap, and most texts don't need the pattern then.
    return (text: string) => words.every((word) => text.includes(word)) && compiled.matcher(text).find();
  });
  const reads: readonly Read[] = field
    ? [compileField(field)]
    : [...SEARCHED.map((name) => TEXTS[name].read), ({ jsonPayload }) => jsonPayload, ({ labels }) => labels];
  return (entry, scope) => {
    const texts = reads.flatMap((read) => searchable(read(entry, scope)) ?? []).map(foldCase);
    return tests.every((test) => texts.some(test));
  };
}

function searchable(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}
