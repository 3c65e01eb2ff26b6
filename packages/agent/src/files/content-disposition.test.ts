import { describe, expect, it } from 'vitest';
import { contentDisposition } from './serve-file.ts';

describe('contentDisposition', () => {
  it.each([
    ['a b.txt', `attachment; filename="a b.txt"`],
    ['naïve.txt', `attachment; filename="nai_ve.txt"; filename*=UTF-8''na%C3%AFve.txt`],
    ['a"b\\c.txt', `attachment; filename="a_b_c.txt"; filename*=UTF-8''a%22b%5Cc.txt`],
    ["it's (1)*.txt", `attachment; filename="it's (1)*.txt"`],
    ['%41.txt', `attachment; filename="_41.txt"; filename*=UTF-8''%2541.txt`],
  ])('%s', (name, expected) => {
    expect(contentDisposition('attachment', name)).toBe(expected);
  });

  it('cannot be broken out of', () => {
    const header = contentDisposition('inline', 'x"\r\nSet-Cookie: a=b;\0\u202e\ud800.html');
    expect(header).not.toMatch(/[^\x20-\x7e]/);
    expect(header.match(/"/g)).toHaveLength(2);
    expect(() => new Headers({ 'Content-Disposition': header })).not.toThrow();
  });
});
