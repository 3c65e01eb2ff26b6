import { describe, expect, it } from 'vitest';
import { isFileRoute, resolveSource } from './resolve-source.ts';

const kindOf = (src: string) => resolveSource(src, 'https://agent.test')?.kind;
const urlOf = (src: string) => resolveSource(src, 'https://agent.test')?.url;

describe('resolveSource', () => {
  it('finds files of the workspace', () => {
    expect(urlOf('/files/a b.png')).toBe('/files/a%20b.png');
    expect(urlOf('reports/a.png')).toBe('/files/reports/a.png');
    expect(urlOf('./a.png')).toBe('/files/a.png');
    expect(urlOf('https://agent.test/public/a.png')).toBe('/public/a.png');
    expect(isFileRoute('/files/a.png')).toBe(true);
    expect(isFileRoute('/share/u/t/file/a.png')).toBe(true);
    expect(isFileRoute('/public/a.png')).toBe(false);
  });

  it.each(['https://evil.test/a.png', 'HTTPS://evil.test', '//evil.test/a', '/\\evil.test/a', 'http://127.0.0.1/'])(
    'knows %s for somewhere else',
    (src) => expect(kindOf(src)).toBe('remote'),
  );

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xml-not,x',
    'blob:https://agent.test/1',
    'file:///etc/passwd',
    'filesystem:https://agent.test/x',
  ])('follows nothing for %s', (src) => {
    const source = resolveSource(src, 'https://agent.test');
    // What isn't taken for a scheme is a file of that odd name, which the server refuses or doesn't have.
    expect(source === undefined || source.url.startsWith('/files/')).toBe(true);
  });

  it('takes pictures in the message', () => {
    expect(kindOf('data:image/png;base64,AAAA')).toBe('inline');
    expect(kindOf('data:image/svg+xml,%3Csvg/%3E')).toBe('inline');
  });
});
