import { describe, expect, test } from 'vitest';
import { FilterError } from './filter-error.ts';
import { tokenize, unescapePattern } from './tokenize.ts';

/** The tokens in one line, without the end: kind, text, and the parts of a path. */
const outline = (filter: string) =>
  tokenize(filter)
    .slice(0, -1)
    .map((token) => {
      if (token.kind === 'word') return `word ${token.segments.join('|')}`;
      return token.kind === 'quoted' ? `quoted ${token.text}` : token.text;
    });

describe('a dash', () => {
  // Fails when it is a sign where it excludes, or excludes where it is a sign.
  test.each([
    ['n=-5', ['word n', '=', 'word -5']],
    ['n=-x', ['word n', '=', 'word -x']],
    ['n= -5', ['word n', '=', 'word -5']],
    ['n=(-5 OR -x)', ['word n', '=', '(', 'word -5', 'word OR', '-', 'word x', ')']],
    ['n=(-.5)', ['word n', '=', '(', 'word -|5', ')']],
    ['(-5)', ['(', '-', 'word 5', ')']],
    ['a (-5)', ['word a', '(', '-', 'word 5', ')']],
    ['n=5 (-6)', ['word n', '=', 'word 5', '(', '-', 'word 6', ')']],
    ['n=((1) OR -2)', ['word n', '=', '(', '(', 'word 1', ')', 'word OR', 'word -2', ')']],
    ['n=((-1))', ['word n', '=', '(', '(', 'word -1', ')', ')']],
    ['n=(1) -2', ['word n', '=', '(', 'word 1', ')', '-', 'word 2']],
    ['(a) n=(-1)', ['(', 'word a', ')', 'word n', '=', '(', 'word -1', ')']],
    [') n=(-1)', [')', 'word n', '=', '(', 'word -1', ')']],
    ['n=(-', ['word n', '=', '(', '-']],
    ['-a', ['-', 'word a']],
    ['a-b', ['word a-b']],
  ])('in %j', (filter, tokens) => {
    expect(outline(filter)).toEqual(tokens);
  });
});

describe('a path', () => {
  test.each([
    ['a.b', ['word a|b']],
    ['a."b c".d', ['word a|b c|d']],
    ['a."b"."c"', ['word a|b|c']],
    ['a."b"c', ['word a|b', 'word c']],
    ['a"b"', ['word a', 'quoted b']],
    ['a. b', ['word a|', 'word b']],
    ['a."b" "c"', ['word a|b', 'quoted c']],
  ])('%j', (filter, tokens) => {
    expect(outline(filter)).toEqual(tokens);
  });

  test('keeps its text, and tells where a quoted part is not closed', () => {
    expect(tokenize('x a."b\\n".c y')[1]).toMatchObject({ text: 'a."b\\n".c', segments: ['a', 'b\n', 'c'] });
    expect(() => tokenize('abc."d')).toThrow('at column 5');
  });
});

// Fails when a token ends at another column than the one after its last character.
test('every token says where it begins and ends', () => {
  const filter = 'ab >= "c d" ( - , ) e';
  const tokens = tokenize(filter);
  expect(tokens.map(({ column, endColumn }) => filter.slice(column - 1, endColumn - 1))).toEqual([
    ...['ab', '>=', '"c d"', '(', '-', ',', ')', 'e', ''],
  ]);
  expect(tokens.at(-1)).toMatchObject({ kind: 'end', text: '', column: filter.length + 1 });
});

describe('quoted text', () => {
  test.each([
    ['\\a\\b\\f\\n\\r\\t\\v', '\x07\b\f\n\r\t\v'],
    ['\\\\ \\" \\\'', '\\ " \''],
    ['\\u00e9\\x41\\101', 'éAA'],
    ['\\q\\ \\\n', '\\q\\ \\\n'],
  ])('resolves %j', (raw, text) => {
    expect(tokenize(`"${raw}"`)[0]).toMatchObject({ kind: 'quoted', text, raw });
  });

  test.each([
    ['\\\\d+', '\\d+'],
    ['\\d+\\b', '\\d+\\b'],
    ['\\"x\\"', '"x"'],
    ['\\u0041\\u00e9', 'Aé'],
    ['\\u00\\\n', '\\u00\\\n'],
  ])('is the pattern of a regular expression: %j', (raw, pattern) => {
    expect(unescapePattern(raw)).toBe(pattern);
  });
});

test.each([
  ["'a'", '"\'" is not valid here; quote text with "', 1],
  ['a ~b', '"~" is not valid here; quote text that holds it', 3],
])('%j is refused with a hint', (filter, message, column) => {
  expect(() => tokenize(filter)).toThrow(new FilterError(message, column));
});
