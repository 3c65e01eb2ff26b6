import { expect, it } from 'vitest';
import { readArgs } from './confirm-card.tsx';

it('reads an object, and nothing else', () => {
  expect(readArgs(' {"to": ["a"]}\n')).toEqual({ to: ['a'] });
  for (const text of ['', '[]', 'null', '"a"', '{to: 1}', '{"to":1']) expect(readArgs(text)).toBeUndefined();
});
