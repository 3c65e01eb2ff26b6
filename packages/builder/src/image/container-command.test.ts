import { execFileSync } from 'node:child_process';
import { escapeElement } from '@berth/runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toContainerCommand, toShellLine } from './container-command.ts';

test.each([
  [
    ['node', 'server.js'],
    ['node', 'server.js'],
  ],
  [
    ['./a b', '$$5'],
    ['./a b', '$5'],
  ],
  [
    ['uvicorn', 'main:app', '--port', '$PORT'],
    ['/bin/sh', '-c', `exec "uvicorn" "main:app" "--port" "\${PORT}"`],
  ],
])('%j becomes %j', (argv, expected) => {
  expect(toContainerCommand(argv)).toEqual(expected);
});

test('a shell line of the tenant stays as it is', () => {
  expect(toShellLine(['/bin/sh', '-c', escapeElement('make && echo "$HOME"')])).toBe('make && echo "$HOME"');
});

const PRINT = ['-e', 'process.stdout.write(JSON.stringify(process.argv.slice(1)))', '--'];
// argv can't contain NUL, and empty elements count.
const word = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''));

test('whatever an element holds reaches the program whole', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 3 }), word, (words, value) => {
      const own = words.map(escapeElement);
      const argv = [process.execPath, ...PRINT, ...own].map((each, index) => (index < 4 ? escapeElement(each) : each));
      const env = { BERTH_VALUE: value };
      const [program = '', ...args] = toContainerCommand([...argv, 'x$BERTH_VALUE']);
      expect(JSON.parse(execFileSync(program, args, { env, encoding: 'utf8' }))).toEqual([...words, `x${value}`]);
      const line = execFileSync('/bin/sh', ['-c', toShellLine(argv)], { env, encoding: 'utf8' });
      expect(JSON.parse(line)).toEqual(words);
    }),
    { numRuns: 15 },
  );
});
