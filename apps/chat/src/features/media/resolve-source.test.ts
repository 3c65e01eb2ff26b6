import { describe, expect, it } from 'vitest';
import { resolveSource } from './resolve-source.ts';

const kindOf = (src: string) => resolveSource(src, 'https://agent.test')?.kind;
const urlOf = (src: string) => resolveSource(src, 'https://agent.test')?.url;

describe('resolveSource', () => {
  it('finds files of the workspace', () => {
    expect(urlOf('/files/a b.png')).toBe('/files/a%20b.png');
    expect(urlOf('reports/a.png')).toBe('/files/reports/a.png');
    expect(urlOf('./a.png')).toBe('/files/a.png');
    expect(urlOf('/share/u%3A1/t/file/a/b.png?ws=t-1')).toBe('/share/u%3A1/t/file/a/b.png?ws=t-1');
    for (const src of ['/files/a.png', 'a.png', '/share/u/t/file/a.png']) expect(kindOf(src)).toBe('file');
    expect([kindOf('/public/a.png'), urlOf('https://agent.test/public/a.png')]).toEqual(['public', '/public/a.png']);
  });

  // Fails when a file is recognized by the prefix of its address alone.
  it.each([
    '/connectors/crm/fetch/contacts/7/delete',
    '/files',
    '/files/',
    '/files/../connectors/crm/fetch/x',
    '/files/%2e%2e/connectors/crm/fetch/x',
    '/files/..%2fconnectors/crm/fetch/x',
    '/files/%2e%2e%2fconnectors%2fcrm',
    '/files/..%5cconnectors',
    '/files/..\\connectors\\crm\\fetch\\x',
    '/files//connectors/x',
    '/files/a%00b',
    '/files/%ff',
    '../connectors/crm/fetch/x',
    './../connectors/crm/fetch/x',
    '/FILES/a.png',
    '/files%2fa.png',
    '/share/u/t/file/',
    '/share/u/t/file/../fork',
    '/share/u/t/fork',
    '/share/u/t/data',
    '/share/u%2ft/x/file/a',
    '/public/../connectors/crm/fetch/x',
    '/chats',
    '/',
    '?id=x',
    '#files/a.png',
  ])('reads nothing with a token for %s', (src) => {
    expect(kindOf(src)).toBe('own');
  });

  it('keeps nothing of a query that has the server do something', () => {
    expect(urlOf('/files/a.pptx?as=pdf&download#x')).toBe('/files/a.pptx');
    expect(urlOf('/share/u/t/file/a?ws=t-1%26x&as=pdf')).toBe('/share/u/t/file/a?ws=t-1%26x');
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
    // Text that is not a valid scheme names a file, which the server rejects or does not have.
    expect(source === undefined || source.kind === 'file').toBe(true);
  });

  it('takes pictures in the message', () => {
    expect(kindOf('data:image/png;base64,AAAA')).toBe('inline');
    expect(kindOf('data:image/svg+xml,%3Csvg/%3E')).toBe('inline');
  });
});
