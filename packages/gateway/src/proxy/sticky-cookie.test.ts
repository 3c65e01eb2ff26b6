import { expect, test } from 'vitest';
import { readCookie, stickySetCookie } from './sticky-cookie.ts';

test('is read from among other cookies', () => {
  const cookie = stickySetCookie('berth_affinity', 'inst_1.x', true);
  expect(cookie).toBe('berth_affinity=inst_1.x; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure');
  expect(readCookie('a=b; berth_affinity=inst_1.x; c=d', 'berth_affinity')).toBe('inst_1.x');
  expect(readCookie('berth_affinity=inst_1.x', 'berth_affinity')).toBe('inst_1.x');
  expect(readCookie('berth_affinity=inst_1.x', 'berth_revision')).toBeUndefined();
  expect(readCookie('xberth_affinity=no; berth_affinityx=no; a=berth_affinity=no', 'berth_affinity')).toBeUndefined();
  expect(readCookie(undefined, 'berth_affinity')).toBeUndefined();
});
