import { expect, test } from 'vitest';
import { signAffinity } from './affinity-cookie.ts';

const owner = { account: 'a', deployment: 'd', revision: 'r' };

test('the signature covers who the instance belongs to', () => {
  const key = signAffinity('secret', owner, 'inst_1');
  expect(key).toMatch(/^inst_1\.[\w-]{43}$/);
  expect(signAffinity('secret', owner, 'inst_1')).toBe(key);
  for (const other of [
    { ...owner, account: 'b' },
    { ...owner, deployment: 'e' },
    { ...owner, revision: 's' },
  ]) {
    expect(signAffinity('secret', other, 'inst_1')).not.toBe(key);
  }
  expect(signAffinity('other', owner, 'inst_1')).not.toBe(key);
});
