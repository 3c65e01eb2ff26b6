import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseEnvFile } from './parse-env-file.ts';

const read = (text: string) => Object.fromEntries(parseEnvFile(text).map(({ key, value }) => [key, value]));

describe('a .env file', () => {
  // Fails when the console and `berth env set --from-file` read a file differently.
  test.each([
    ['several lines', 'A=1\nB=2'],
    ['Windows line ends', 'A=1\r\nB=2\r\n'],
    ['comments and blank lines', '# first\n\nA=1 # last\n  # B=2\n'],
    ['export', 'export A=1\n  export   B="two words"'],
    ['quotes', `A="a # b"\nB='c "d"'\nC=\`e 'f'\``],
    ['a comment after a quoted value', 'A="x" # y\nB=2'],
    ['values of several lines', 'KEY="-----BEGIN\nabc\n-----END"\nB=2'],
    ['escaped line ends', `A="x\\ny"\nB='x\\ny'`],
    ['an equals sign in a value', 'URL=postgres://u:p@h/db?a=b'],
    ['empty values', 'A=\nB=""\nC='],
    ['spaces', '  A = 1  \nB=  two words  '],
    ['an open quote', 'A="x\nB=2'],
    ['a repeated name', 'A=1\nB=2\nA=3'],
    ['prose', 'Remember the milk.\nAnd the bread.'],
    ['nothing', ''],
  ])('with %s is read as Node.js reads it', (_, text) => {
    expect(read(text)).toEqual({ ...parseEnv(text) });
  });

  test('may begin with a byte order mark', () => {
    expect(read('\uFEFFA=1')).toEqual({ A: '1' });
  });
});
