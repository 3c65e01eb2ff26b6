import { FilterError, show } from './filter-error.ts';
import { resolveField } from './filter-field.ts';
import type { LogFilter } from './log-filter.ts';
import { anywhere, compare, type FilterValue, search } from './make-condition.ts';
import { type ComparisonOperator, type Token, tokenize } from './tokenize.ts';

/** Parentheses and negations inside one another. */
const DEPTH_MAX = 100;
/** Comparisons and words of one filter: each is looked at for every entry. */
const TERMS_MAX = 500;

const KEYWORDS = new Set(['AND', 'OR', 'NOT']);

/**
 * Reads a log filter: NOT binds before OR, OR before AND, and two terms side by side are an AND. An empty one, or one of
 * nothing but comments, is undefined: every entry fits. The grammar is in docs/guides/log-filters.md.
 * @throws FilterError with the column and what was expected.
 */
export function parseFilter(filter: string): LogFilter | undefined {
  const parser = createParser(tokenize(filter));
  return parser.isAtEnd ? undefined : parser.parseAll();
}

function createParser(tokens: readonly Token[]) {
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

  /** Terms joined by AND or side by side; `parseTerm` reads one with its negations. */
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
    if (following.kind === 'operator') return parseComparison(token);
    return parseText(token);
  }

  function parseGroup(parseInner: () => LogFilter): LogFilter {
    const inner = nested(() => parseAnd(parseInner));
    if (next().kind !== ')') {
      index--;
      fail('a closing parenthesis');
    }
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

  function parseComparison(name: Token & { kind: 'word' }): LogFilter {
    const field = resolveField(name.segments, name.column);
    const operator = next().text as ComparisonOperator;
    const parseValue = () => {
      const value = readValue(operator);
      return compare(field, operator, value);
    };
    if (peek().kind !== '(') return parseValue();
    next();
    return parseGroup(parseListed(parseValue));
  }

  /** A value inside `field=(…)`, or more parentheses. */
  function parseListed(parseValue: () => LogFilter): () => LogFilter {
    const parseItem = (): LogFilter => {
      if (peek().kind !== '(') return parseValue();
      next();
      return parseGroup(parseItem);
    };
    return parseItem;
  }

  function readValue(operator: ComparisonOperator): FilterValue {
    const token = next();
    count(token);
    if (token.kind === 'quoted') return { text: token.text, raw: token.raw, isQuoted: true, column: token.column };
    if (token.kind !== 'word' || KEYWORDS.has(token.text)) {
      index--;
      return fail(`a value after ${operator}`);
    }
    if (peek().kind === 'operator') {
      throw new FilterError(`expected quotes around a value that holds ${show(peek().text)}`, peek().column);
    }
    return { text: token.text, raw: token.text, isQuoted: false, column: token.column };
  }

  /** `SEARCH("words")`, `SEARCH(field, "words")`. */
  function parseCall(name: Token): LogFilter {
    if (name.text !== 'SEARCH') {
      throw new FilterError(`there is no function ${show(name.text)}; SEARCH("…") is the only one`, name.column);
    }
    count(name);
    next();
    const first = next();
    let field: ReturnType<typeof resolveField> | undefined;
    let query = first;
    if (first.kind === 'word' && peek().kind === ',') {
      field = resolveField(first.segments, first.column);
      next();
      query = next();
    }
    if (query.kind !== 'quoted') fail('quoted text, as in SEARCH("connection refused")', query);
    if (next().kind !== ')') {
      index--;
      fail('a closing parenthesis');
    }
    return search(field, query.text, query.column);
  }

  return {
    isAtEnd: peek().kind === 'end',
    parseAll(): LogFilter {
      const filter = parseAnd(parseTerm);
      if (peek().kind === 'end') return filter;
      throw new FilterError('this parenthesis closes nothing', peek().column);
    },
  };
}

/** One term for several; a term of the same kind is taken apart, so that trees stay flat. */
function join(kind: 'and' | 'or', parts: readonly LogFilter[]): LogFilter {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  return { kind, terms: parts.flatMap((part) => (part.kind === kind ? part.terms : [part])) };
}

function negate(term: LogFilter): LogFilter {
  return term.kind === 'not' ? term.term : { kind: 'not', term };
}
