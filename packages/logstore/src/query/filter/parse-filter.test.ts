import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FilterError } from './filter-error.ts';
import type { LogFilter } from './log-filter.ts';
import { parseFilter } from './parse-filter.ts';

/** The tree in one line: words stand for themselves. */
function outline(filter: LogFilter | undefined): string {
  if (!filter) return 'all';
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.terms.map(outline).join(filter.kind === 'and' ? ' & ' : ' | ')})`;
    case 'not':
      return `!${outline(filter.term)}`;
    case 'anywhere':
      return filter.text;
    default:
      return filter.kind;
  }
}

function errorOf(filter: string): FilterError {
  try {
    parseFilter(filter);
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
  throw new Error(`${filter} was read`);
}

describe('precedence', () => {
  // Published of the language: NOT before OR before AND; a space is an AND.
  test.each([
    ['a OR NOT b AND NOT c OR d', '((a | !b) & (!c | d))'],
    ['a AND b OR c AND d', '(a & (b | c) & d)'],
    ['a b OR c d', '(a & (b | c) & d)'],
    ['a\nb', '(a & b)'],
    ['a (b c)', '(a & b & c)'],
    ['a OR (b AND c)', '(a | (b & c))'],
    ['-a OR b', '(!a | b)'],
    ['NOT (a OR b)', '!(a | b)'],
    ['NOT NOT a', 'a'],
    ['NOT -a b', '(a & b)'],
    ['a or b and not c', '(a & or & b & and & not & c)'],
    ['a -- comment ) AND\nOR b', '(a | b)'],
    ['NOT(a)AND(b)', '(!a & b)'],
    ['my-app -my-app', '(my-app & !my-app)'],
    ['"a AND b"', 'a and b'],
    ['a "OR" b', '(a & or & b)'],
    ['"\\u00e9\\x41\\101\\n\\"\\\\\\d"', 'éaa\n"\\\\d'],
    ['😀 OR "🎉 b"', '(😀 | 🎉 b)'],
    ['severity=(ERROR OR NOT INFO)', '(severity | !severity)'],
    ['httpRequest.status=(-1 OR 2)', '(number | number)'],
    ['jsonPayload.a!=1', '(present & !payload)'],
    ['jsonPayload."a b".c:*', 'present'],
    ['labels."k8s.io/name"="x"', 'text'],
    ['SEARCH("a b") SEARCH(textPayload, "c")', '(search & search)'],
  ])('%j is %s', (filter, tree) => {
    expect(outline(parseFilter(filter))).toBe(tree);
  });

  test.each(['', '  \n\t', '-- nothing', '--a\n--b'])('%j lets everything through', (filter) => {
    expect(parseFilter(filter)).toBeUndefined();
  });
});

describe('a wrong filter is refused with what was expected and where', () => {
  test.each([
    ['severity>=', 11, 'a value after >='],
    ['severity>=LOUD', 11, 'DEFAULT DEBUG INFO'],
    ['a AND', 6, 'the end of the filter'],
    ['AND a', 1, 'a comparison'],
    ['a OR OR b', 6, 'a comparison'],
    ['a OR AND b', 6, 'quoted text, found "AND"'],
    ['()', 2, 'a comparison'],
    ['(a', 3, 'a closing parenthesis'],
    ['a)', 2, 'unmatched closing parenthesis'],
    ['a "b', 3, 'not closed'],
    ["a='b c'", 3, 'quote text with'],
    ['user="bob"', 1, 'jsonPayload.user'],
    ['jsonPayload..a=1', 1, 'missing before or after a dot'],
    ['insertId=abc:def', 13, 'quotes around'],
    ['"severity"=ERROR', 1, 'without quotes'],
    ['httpRequest.status=abc', 20, 'a number'],
    ['httpRequest.latency>fast', 21, 'a duration'],
    ['timestamp>yesterday', 11, '2026-01-31'],
    ['timestamp=~"2026"', 12, 'not text'],
    ['textPayload=~"a("', 14, 'RE2'],
    ['textPayload=~"(a)\\\\1"', 14, 'RE2'],
    ['textPayload=~"(abcdefgh){999}"', 14, 'too large'],
    ['jsonPayload="x"', 13, 'a field inside'],
    ['resource="x"', 10, 'a field inside'],
    ['resources="x"', 1, 'no such field'],
    ['simple(insertId, 0.1)', 1, 'SEARCH'],
    ['SEARCH(a b)', 8, 'quoted text'],
    ['SEARCH("!?")', 8, 'a word'],
    ['SEARCH(severity, "x")', 18, 'a text field'],
    ['*', 1, 'a field before'],
    ['a , b', 3, 'a comparison'],
    ['!a', 1, 'not valid here'],
    ['(a OR', 6, 'a comparison'],
    ['(a ,', 4, 'quoted text, found ","'],
    ['severity=(ERROR', 16, 'a closing parenthesis'],
    ['severity=AND', 10, 'a value after =, found "AND"'],
    ['log_id(stdout)', 8, 'log_id("stdout")'],
    ['SEARCH(textPayload, x)', 21, 'SEARCH("connection refused")'],
    ['SEARCH("a", "b")', 11, 'a closing parenthesis'],
    ['SEARCH(5, "b")', 8, 'no such field'],
    ['ip_in_net(httpRequest.remoteIp "10.0.0.0/8")', 32, 'a comma'],
    ['ip_in_net(httpRequest.remoteIp, 10)', 33, 'ip_in_net(httpRequest.remoteIp, "10.0.0.0/8")'],
    ['sample(insertId, "0.1")', 18, 'a fraction such as 0.1'],
    ['sample(insertId, )', 18, 'a fraction such as 0.1'],
    ['sample(insertId (x), 0.1)', 17, 'a comma'],
    ['sample(cast (x), 0.1)', 8, 'no such field'],
    ['sample(trace(x), 0.1)', 13, 'a comma'],
    ['cast(jsonPayload.a INT64)=1', 20, 'a comma'],
    ['regexp_extract(textPayload, x)=1', 29, 'regexp_extract(textPayload, "took (\\d+) ms")'],
    ['regexp_extract(textPayload, "(x)"=1', 34, 'a closing parenthesis'],
    ['cast(jsonPayload.a, INT64)', 27, 'a comparison after cast'],
  ])('%j: column %i, %s', (filter, column, words) => {
    const error = errorOf(filter);
    expect([error.column, error.message]).toEqual([column, expect.stringContaining(words)]);
    expect(error.message).toMatch(new RegExp(`at column ${column}$`));
  });

  test('so is one that is too deep or too long, in little time', () => {
    expect(outline(parseFilter(`${'('.repeat(100)}a${')'.repeat(100)}`))).toBe('a');
    expect(outline(parseFilter('(a) '.repeat(101)))).toBe(`(${Array(101).fill('a').join(' & ')})`);
    expect(errorOf(`${'('.repeat(1_000)}a${')'.repeat(1_000)}`).message).toContain('deeper');
    expect(errorOf('NOT '.repeat(5_000)).message).toContain('deeper');
    expect(errorOf('-'.repeat(19_999).replaceAll('--', '- ')).message).toContain('deeper');
    expect(errorOf('a '.repeat(10_000)).message).toContain('more than 500');
    const searching = (words: number) => `SEARCH("${Array.from({ length: words }, (_, n) => `w${n}`).join(' ')}")`;
    expect(outline(parseFilter(searching(50)))).toBe('search');
    expect(errorOf(searching(51)).message).toContain('50');
    expect(outline(parseFilter('a '.repeat(500)))).toBe(`(${Array(500).fill('a').join(' & ')})`);
    expect(errorOf('a '.repeat(501)).message).toContain('more than 500');
  });

  // Fails when values in a list or calls are not counted.
  test.each([
    ['values', (count: number) => `insertId=(${Array(count).fill('a').join(' OR ')})`],
    ['calls', (count: number) => 'log_id("stdout") '.repeat(count)],
  ])('so are too many %s', (_what, make) => {
    expect(() => parseFilter(make(500))).not.toThrow();
    expect(errorOf(make(501)).message).toContain('more than 500');
  });
});

test('any text is read or refused with a column inside it', () => {
  const piece = fc.constantFrom('a', '"', '(', ')', '=', ':', '-', ' ', 'AND ', 'NOT ', 'jsonPayload.', '~', '!', '\\');
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (filter) => {
      try {
        parseFilter(filter);
      } catch (error) {
        expect(error).toBeInstanceOf(FilterError);
        const { column } = error as FilterError;
        expect(column).toBeGreaterThanOrEqual(1);
        expect(column).toBeLessThanOrEqual(filter.length + 1);
      }
    }),
    { numRuns: 2_000 },
  );
});
