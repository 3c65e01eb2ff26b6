import { SEVERITIES, type Severity } from '@berth/contract';
import { RE2JS } from 're2js';
import type { LogScope, StoredEntry } from '../../entry/log-entry.ts';
import { PARTLY_MATCHED, SEARCHED, type TextName, WHOLLY_MATCHED } from './field-table.ts';
import type { DerivedField, FilterField } from './filter-field.ts';
import { compareText, foldCase } from './fold-case.ts';
import type { Condition, LogFilter, PayloadTest } from './log-filter.ts';
import { parseNumber } from './parse-quantity.ts';
import { type ReadEntry, readNumber, readObject, readPayload, readText } from './read-field.ts';
import type { SearchPhrase } from './search-phrases.ts';
import { compileText, isExact, isOrdered } from './text-test.ts';

type Test = (row: ReadEntry) => boolean;

const RANKS: ReadonlyMap<Severity, number> = new Map(SEVERITIES.map((severity, rank) => [severity, rank]));

/**
 * Compiles the filter to a function of one entry of `scope`'s log. Without a filter every entry matches. Takes time
 * linear in the entry, whatever the patterns: they run on RE2. `toSql` gives the same results.
 */
export function createPredicate(filter: LogFilter | undefined, scope: LogScope): (entry: StoredEntry) => boolean {
  if (!filter) return () => true;
  const test = compile(filter);
  return (entry) => test({ entry, scope });
}

function compile(filter: LogFilter): Test {
  switch (filter.kind) {
    case 'and': {
      const tests = filter.terms.map(compile);
      return (row) => tests.every((test) => test(row));
    }
    case 'or': {
      const tests = filter.terms.map(compile);
      return (row) => tests.some((test) => test(row));
    }
    case 'not': {
      const test = compile(filter.term);
      return (row) => !test(row);
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
      const read = field.type === 'derived' ? compileDerived(field) : (row: ReadEntry) => readText(field, row);
      return (row) => {
        const text = read(row);
        return text !== undefined && test(text);
      };
    }
    case 'number': {
      const { field, operator, value } = condition;
      const read = field.type === 'derived' ? compileDerivedNumber(field) : (row: ReadEntry) => readNumber(field, row);
      return (row) => {
        const number = read(row);
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
      return (row) => readPayload(condition.path, row).some(test);
    }
    case 'nothing':
      return () => false;
    case 'present':
      return (row) => fieldValue(row, condition.field) !== undefined;
    case 'object':
      return (row) => jsonHas(fieldValue(row, condition.field), condition.jsonText);
    case 'anywhere':
      return compileAnywhere(condition.text, condition.jsonText);
    case 'search':
      return compileSearch(condition.field, condition.phrases);
  }
}

function compileDerived({ of, pattern }: DerivedField): (row: ReadEntry) => string | undefined {
  const compiled = pattern === undefined ? undefined : RE2JS.compile(pattern);
  return (row) => {
    const value = fieldValue(row, of);
    const text = isScalar(value) ? String(value) : undefined;
    if (compiled === undefined || text === undefined) return text;
    const matcher = compiled.matcher(text);
    return matcher.find() ? (matcher.group(1) ?? undefined) : undefined;
  };
}

function compileDerivedNumber(field: DerivedField): (row: ReadEntry) => number | undefined {
  const read = compileDerived(field);
  return (row) => parseNumber(read(row) ?? '');
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

function fieldValue(row: ReadEntry, field: FilterField): unknown {
  switch (field.type) {
    case 'text':
    case 'label':
      return readText(field, row);
    case 'number':
    case 'duration':
    case 'coldStart':
      return readNumber(field, row);
    case 'payload': {
      const values = readPayload(field.path, row);
      return values.length < 2 ? values[0] : values.map(searchable).join('\n');
    }
    case 'derived': {
      const text = compileDerived(field)(row);
      return field.isNumber ? parseNumber(text ?? '') : text;
    }
    case 'absent':
      return undefined;
    case 'object':
      return readObject(field, row);
    case 'time':
      return row.entry.timestamp;
    case 'severity':
      return row.entry.severity;
  }
}

function jsonHas(value: unknown, wanted: string): boolean {
  return value !== undefined && foldCase(JSON.stringify(value)).includes(wanted);
}

function compileAnywhere(text: string, jsonText: string): Test {
  return (row) => {
    const { entry } = row;
    const fold = (name: TextName) => foldCase(readText({ type: 'text', name }, row) ?? '');
    if (PARTLY_MATCHED.some((name) => fold(name).includes(text))) return true;
    if (jsonHas(entry.jsonPayload, jsonText) || jsonHas(entry.labels, jsonText)) return true;
    return foldCase(entry.severity) === text || WHOLLY_MATCHED.some((name) => fold(name) === text);
  };
}

function compileSearch(field: FilterField | undefined, phrases: readonly SearchPhrase[]): Test {
  const tests = phrases.map(({ words, pattern }) => {
    const compiled = RE2JS.compile(pattern);
    // Looking for the words first is cheap, and most texts don't need the pattern then.
    return (text: string) => words.every((word) => text.includes(word)) && compiled.matcher(text).find();
  });
  return (row) => {
    const texts = field ? [searchable(fieldValue(row, field))] : everyText(row);
    const folded = texts.flatMap((text) => (text === undefined ? [] : [foldCase(text)]));
    return tests.every((test) => folded.some(test));
  };
}

function everyText(row: ReadEntry): (string | undefined)[] {
  const names = SEARCHED.map((name) => readText({ type: 'text', name }, row));
  return [...names, searchable(row.entry.jsonPayload), searchable(row.entry.labels)];
}

function searchable(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}
