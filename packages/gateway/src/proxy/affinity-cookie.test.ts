import { expect, test } from 'vitest';
import { affinitySetCookie, readAffinityCookie, signAffinity } from './affinity-cookie.ts';

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

test('is read from among other cookies', () => {
  const cookie = affinitySetCookie('inst_1.x', true);
  expect(cookie).toBe('berth_affinity=inst_1.x; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure');
  expect(readAffinityCookie('a=b; berth_affinity=inst_1.x; c=d')).toBe('inst_1.x');
  expect(readAffinityCookie('berth_affinity=inst_1.x')).toBe('inst_1.x');
  expect(readAffinityCookie('xberth_affinity=no; a=berth_affinity=no')).toBeUndefined();
  expect(readAffinityCookie(undefined)).toBeUndefined();
});
