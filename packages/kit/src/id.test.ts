import { expect, it } from 'vitest';
import { createIdSource } from './id.ts';

it('makes ids that sort by time and do not repeat', () => {
  let nowMs = 1_700_000_000_000;
  const ids = createIdSource(() => nowMs);
  const first = ids.next('deploy');
  nowMs += 1;
  const second = ids.next('deploy');
  expect(first).toMatch(/^deploy_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(first < second).toBe(true);
  expect(new Set(Array.from({ length: 1000 }, () => ids.next('x'))).size).toBe(1000);
});
