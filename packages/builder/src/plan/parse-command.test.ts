import { execFileSync } from 'node:child_process';
import { expandCommand } from '@berth/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommand } from './parse-command.ts';

const ENV = { PORT: '8080', HOST: '0.0.0.0' };

/** Returns the arguments that the program would receive, or the kind of a line that has none. */
function argvOf(line: string): readonly string[] | string {
  const parsed = parseCommand(line);
  return parsed.kind === 'argv' ? expandCommand(parsed.argv, ENV) : parsed.kind;
}

describe('lines split into arguments', () => {
  test.each<[string, readonly string[]]>([
    ['node server.js', ['node', 'server.js']],
    ['  node \t server.js  ', ['node', 'server.js']],
    ['uvicorn main:app --port $PORT', ['uvicorn', 'main:app', '--port', '8080']],
    [`gunicorn -b "$HOST:\${PORT}" app`, ['gunicorn', '-b', '0.0.0.0:8080', 'app']],
    [`gunicorn 'app:create_app("$PORT")'`, ['gunicorn', 'app:create_app("$PORT")']],
    ['echo "a \\"b\\" \\$PORT c\\d"', ['echo', 'a "b" $PORT c\\d']],
    ['echo a\\ b \\$PORT', ['echo', 'a b', '$PORT']],
    [`x '' "" a''b`, ['x', '', '', 'ab']],
    ['x --cost=5$ $,', ['x', '--cost=5$', '$,']],
    ['x --a=b K=v', ['x', '--a=b', 'K=v']],
    ['x a#b a~b', ['x', 'a#b', 'a~b']],
    ['x $PORTS.', ['x', '.']],
  ])('%s', (line, argv) => {
    expect(argvOf(line)).toEqual(argv);
  });
});

describe('lines that need a shell', () => {
  test.each([
    'a && b',
    'a || b',
    'a; b',
    'a | b',
    'a > out',
    'a < in',
    'a &',
    'a $(b)',
    'a `b`',
    'a "$(b)"',
    'a "`b`"',
    'ls *.js',
    'ls ?.js',
    'ls [ab].js',
    'echo {a,b}',
    'NODE_ENV=production node server.js',
    'cd app',
    'exec node server.js',
    'export A=b',
    '. ./env',
    `a \${PORT:-3000}`,
    'a $1',
    'a $?',
    'a "$@"',
    'a $$',
    '~/bin/a',
    'a ~/b',
    '# nothing',
    'a # b',
    'a\nb',
    '(a)',
  ])('%s', (line) => {
    expect(argvOf(line)).toBe('needsShell');
  });
});

test.each(['', '   ', "node 'a", 'node "a', 'node a\\', "''"])('%j is no command', (line) => {
  expect(argvOf(line)).toBe('invalid');
});

test('quoted words come back as they were', () => {
  const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      const line = ['run', ...words].map((text) => `'${text.replaceAll("'", `'\\''`)}'`).join(' ');
      expect(argvOf(line)).toEqual(['run', ...words]);
    }),
  );
});

test('sh splits these lines in the same way', () => {
  const piece = fc.constantFrom('@', '% +', '$PORT', `\${HOST}`, '"', "'", '\\', ' ', '$', '=', '#', '-', '"$PORT x"');
  const lines = fc.sample(
    fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `run ${pieces.join('')}`),
    { numRuns: 300, seed: 7 },
  );
  const parsed = lines.map((line) => [line, argvOf(line)] as const).filter(([, argv]) => Array.isArray(argv));
  expect(parsed.length).toBeGreaterThan(50);
  // One shell runs all cases: the run function prints its arguments as one line, separated by NUL.
  const script = `run() { for a in "$@"; do printf '%s\\0' "$a"; done; printf '\\n\\0'; }\n`;
  const output = execFileSync('/bin/sh', ['-c', script + parsed.map(([line]) => line).join('\n')], { env: ENV });
  const seen = output.toString('utf8').split('\n\0').slice(0, -1);
  parsed.forEach(([line, argv], index) => {
    expect(seen[index]?.split('\0').slice(0, -1), line).toEqual(argv.slice(1));
  });
});
