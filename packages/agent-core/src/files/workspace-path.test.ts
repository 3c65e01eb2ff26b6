import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childOf, isWithin, parseFolderPath, parseWorkspacePath, ROOT } from './workspace-path.ts';

function codeOf(text: string): string {
  try {
    return `took ${parseWorkspacePath(text)}`;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('parseWorkspacePath', () => {
  it.each([
    '../x',
    'a/../../x',
    'a/..',
    '..',
    '.',
    './x',
    '..\\x',
    'a\\..\\..\\x',
    '/etc/passwd',
    '//etc/passwd',
    '.db/agent.sqlite',
    '.trash',
    '.Trash/x',
    '.DB',
    '.\u017fecrets/x',
    '.ＤＢ/x',
    '.versions/a/b',
  ])('forbids %j', (text) => {
    expect(codeOf(text)).toBe('forbidden');
  });

  it.each([
    '',
    'a//b',
    'a/',
    'a\nb',
    'a/b\r.txt',
    'a\u2028b',
    'a\u0085',
    'a\0.png',
    '\ud800',
    'x'.repeat(256),
    `${'a/'.repeat(600)}b`,
  ])('cannot read %j', (text) => {
    expect(codeOf(text)).toBe('invalid');
  });

  it.each([
    'a',
    'a/b.txt',
    '.env',
    '..x',
    '....//x'.replace('//', '/'),
    '%2e%2e',
    'a\\b',
    '.dbx',
    'x/.db',
    'C:\\x',
    '\u202efdp.exe',
  ])('takes %j as it is', (text) => {
    expect(codeOf(text)).toBe(`took ${text}`);
  });

  it('has one spelling of each name', () => {
    expect(parseWorkspacePath('cafe\u0301')).toBe('caf\u00e9');
  });

  it('never gives a path that climbs, whatever it is given', () => {
    const piece = fc.constantFrom('..', '.', '/', '\\', 'a', '.db', '\0', '%2e', '');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const outcome = codeOf(pieces.join(''));
        if (!outcome.startsWith('took ')) return;
        const parts = outcome.slice(5).split(/[/\\]/);
        expect(parts).not.toContain('..');
        expect(outcome.slice(5).split('/')).not.toContain('');
      }),
    );
  });
});

describe('parseFolderPath', () => {
  it('takes nothing as the workspace, and a slash at the end', () => {
    expect(parseFolderPath('')).toBe(ROOT);
    expect(parseFolderPath('a/b/')).toBe('a/b');
    expect(() => parseFolderPath('/')).toThrow(/absolute/);
    expect(() => parseFolderPath('a//')).toThrow();
    expect(() => parseFolderPath('.trash/')).toThrow(/reserved folder/);
  });
});

describe('paths', () => {
  it('know their children and their folders', () => {
    const [folder, file] = [parseWorkspacePath('a'), parseWorkspacePath('a/b')];
    expect(childOf(folder, 'b')).toBe(file);
    expect(childOf(ROOT, 'a')).toBe(folder);
    expect([isWithin(file, folder), isWithin(folder, folder), isWithin(folder, file)]).toEqual([true, true, false]);
    expect(isWithin(parseWorkspacePath('ab'), folder)).toBe(false);
  });
});
