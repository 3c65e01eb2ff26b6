import { FilterError, show } from './filter-error.ts';
import { type FilterField, resolveField } from './filter-field.ts';
import type { LogFilter } from './log-filter.ts';
import {
  anywhere,
  castField,
  compare,
  extractField,
  type FilterValue,
  inNetwork,
  logId,
  sample,
  search,
} from './make-condition.ts';
import { type ComparisonOperator, type Token, tokenize } from './tokenize.ts';

/** Maximum nesting of parentheses and negations. */
const DEPTH_MAX = 100;
/** Maximum comparisons and words of one filter: each is evaluated for every entry. */
const TERMS_MAX = 500;

/**
 * Functions that are conditions, and functions that return a field to compare. Source: Cloud Logging, "Logging query
 * language", built-in functions.
 */
const TERM_FUNCTIONS = new Set(['search', 'log_id', 'ip_in_net', 'sample']);
const FIELD_FUNCTIONS = new Set(['cast', 'regexp_extract']);
const FUNCTION_NAMES = 'SEARCH, log_id, ip_in_net, sample, cast and regexp_extract';

const KEYWORDS = new Set(['AND', 'OR', 'NOT']);

/**
 * Parses a log filter. NOT binds before OR, OR before AND, and adjacent terms are an AND. Returns undefined for an
 * empty filter, or one of comments only: every entry matches. The grammar is in docs/guides/log-filters.md.
 * @throws FilterError with the column and what was expected.
 */
export function parseFilter(filter: string): LogFilter | undefined {
  const tokens = tokenize(filter);
  let index = 0;
  let depth = 0;
  let terms = 0;

  const peek = (ahead = 0): Token => tokens[Math.min(index + ahead, tokens.length - 1)] as Token;
  const next = (): Token => {
    const token = peek();
    index++;
    return token;
  };
  const isKeyword = (token: Token, word: string) => token.kind === 'word' && token.text === word;

  function fail(expected: string, token = peek()): never {
    const found = token.kind === 'end' ? 'the end of the filter' : show(token.text);
    throw new FilterError(`expected ${expected}, found ${found}`, token.column);
  }

  function nested<Result>(parse: () => Result): Result {
    if (++depth > DEPTH_MAX) throw new FilterError(`nested deeper than ${DEPTH_MAX} levels`, peek().column);
    const result = parse();
    depth--;
    return result;
  }

  function count(token: Token): void {
    if (++terms > TERMS_MAX) throw new FilterError(`more than ${TERMS_MAX} comparisons`, token.column);
  }

  /** Parses terms joined by AND, or adjacent; `parseTerm` parses one with its negations. */
  function parseAnd(parseTerm: () => LogFilter): LogFilter {
    const parts = [parseOr(parseTerm)];
    for (;;) {
      const token = peek();
      if (token.kind === 'end' || token.kind === ')') return join('and', parts);
      if (isKeyword(token, 'AND')) next();
      parts.push(parseOr(parseTerm));
    }
  }

  function parseOr(parseTerm: () => LogFilter): LogFilter {
    const parts = [parseNot(parseTerm)];
    while (isKeyword(peek(), 'OR')) {
      next();
      parts.push(parseNot(parseTerm));
    }
    return join('or', parts);
  }

  function parseNot(parseTerm: () => LogFilter): LogFilter {
    const token = peek();
    if (!isKeyword(token, 'NOT') && token.kind !== '-') return parseTerm();
    next();
    return negate(nested(() => parseNot(parseTerm)));
  }

  function parseTerm(): LogFilter {
    const token = next();
    if (token.kind === '(') return parseGroup(parseTerm);
    if (token.kind === 'quoted') return parseText(token);
    if (token.kind !== 'word' || KEYWORDS.has(token.text)) {
      index--;
      return fail('a comparison, a word or quoted text');
    }
    const following = peek();
    if (following.kind === '(' && following.column === token.endColumn) return parseCall(token);
    if (following.kind === 'operator') return parseCompared(resolveField(token.segments, token.column));
    return parseText(token);
  }

  function parseGroup(parseInner: () => LogFilter): LogFilter {
    const inner = nested(() => parseAnd(parseInner));
    expectMark(')', 'a closing parenthesis');
    return inner;
  }

  function parseText(token: Token): LogFilter {
    count(token);
    if (peek().kind === 'operator') {
      throw new FilterError('expected the name of a field, without quotes, before the operator', token.column);
    }
    if (token.text === '*') throw new FilterError('expected a field before "*", such as trace:*', token.column);
    return anywhere(token.text);
  }

  /** Parses the operator, and the values that a field is compared with. */
  function parseCompared(field: FilterField): LogFilter {
    const operator = next().text as ComparisonOperator;
    /** Parses a value, or a list of them in parentheses, which may hold further lists. */
    const parseValue = (): LogFilter => {
      if (peek().kind !== '(') return compare(field, operator, readValue(operator));
      next();
      return parseGroup(parseValue);
    };
    return parseValue();
  }

  function readValue(operator: ComparisonOperator): FilterValue {
    const token = next();
    count(token);
    if (token.kind === 'quoted') return asValue(token);
    if (token.kind !== 'word' || KEYWORDS.has(token.text)) {
      index--;
      return fail(`a value after ${operator}`);
    }
    if (peek().kind === 'operator') {
      throw new FilterError(`expected quotes around a value that holds ${show(peek().text)}`, peek().column);
    }
    return { text: token.text, raw: token.text, isQuoted: false, column: token.column };
  }

  /** Parses a function that is a condition, or one that returns a field, with its comparison. */
  function parseCall(name: Token & { kind: 'word' }): LogFilter {
    const call = name.text.toLowerCase();
    if (FIELD_FUNCTIONS.has(call)) {
      const field = parseMadeField(name);
      if (peek().kind !== 'operator') fail(`a comparison after ${call}(…)`);
      return parseCompared(field);
    }
    if (!TERM_FUNCTIONS.has(call)) {
      throw new FilterError(`no such function: ${show(name.text)}; there are ${FUNCTION_NAMES}`, name.column);
    }
    count(name);
    next();
    const term = parseTermCall(call);
    expectMark(')', 'a closing parenthesis');
    return term;
  }

  /** Parses what is between the parentheses of `call`. */
  function parseTermCall(call: string): LogFilter {
    if (call === 'log_id') return logId(expectQuoted('log_id("stdout")').text);
    if (call === 'search') {
      const isField = peek().kind === 'word' && peek(1).kind === ',';
      const field = isField ? parseField() : undefined;
      if (isField) next();
      const query = expectQuoted('SEARCH("connection refused")');
      return search(field, query.text, query.column);
    }
    const { column } = peek();
    const field = { field: parseField(), column };
    expectMark(',', 'a comma');
    if (call === 'ip_in_net') {
      const network = expectQuoted('ip_in_net(httpRequest.remoteIp, "10.0.0.0/8")');
      return inNetwork(field, network.text, network.column);
    }
    const fraction = next();
    if (fraction.kind !== 'word') return fail('a fraction such as 0.1', fraction);
    return sample(field, fraction.text, fraction.column);
  }

  /** Parses a field: its name, or a function that returns one. */
  function parseField(): FilterField {
    const name = next();
    if (name.kind !== 'word') return fail('a field', name);
    const isCall = peek().kind === '(' && peek().column === name.endColumn;
    return isCall && FIELD_FUNCTIONS.has(name.text.toLowerCase())
      ? nested(() => parseMadeField(name))
      : resolveField(name.segments, name.column);
  }

  /** Parses `cast(field, TYPE)` and `regexp_extract(field, "pattern")`. */
  function parseMadeField(name: Token): FilterField {
    next();
    const { column } = peek();
    const inner = parseField();
    expectMark(',', 'a comma');
    const made =
      name.text.toLowerCase() === 'cast'
        ? castField(inner, peek().text, { field: column, type: next().column })
        : extractField(inner, asValue(expectQuoted('regexp_extract(textPayload, "took (\\d+) ms")')), column);
    if (peek().kind === ',') throw new FilterError('cast() supports only UTC: leave out TZ(…)', peek().column);
    expectMark(')', 'a closing parenthesis');
    return made;
  }

  function expectMark(mark: ')' | ',', expected: string): void {
    if (peek().kind !== mark) fail(expected);
    next();
  }

  function expectQuoted(example: string): Token & { kind: 'quoted' } {
    const token = next();
    return token.kind === 'quoted' ? token : fail(`quoted text, as in ${example}`, token);
  }

  if (peek().kind === 'end') return undefined;
  const parsed = parseAnd(parseTerm);
  if (peek().kind === 'end') return parsed;
  throw new FilterError('unmatched closing parenthesis', peek().column);
}

function asValue({ text, raw, column }: Token & { kind: 'quoted' }): FilterValue {
  return { text, raw, isQuoted: true, column };
}

/** Joins terms into one. Terms of the same kind are flattened. */
function join(kind: 'and' | 'or', parts: readonly LogFilter[]): LogFilter {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  return { kind, terms: parts.flatMap((part) => (part.kind === kind ? part.terms : [part])) };
}

function negate(term: LogFilter): LogFilter {
  return term.kind === 'not' ? term.term : { kind: 'not', term };
}
