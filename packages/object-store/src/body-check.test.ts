import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createBodyCheck } from './body-check.ts';
import type { ExpectedBytes } from './object-store.ts';

const BODY = Buffer.from('what was sent');
const digest = (name: string, bytes = BODY) => createHash(name).update(bytes).digest();

/** Passes the body in pieces, and returns the error's message; undefined when the body is the expected one. */
function check(expected: ExpectedBytes): string | undefined {
  const { add, finish } = createBodyCheck(expected);
  for (let at = 0; at < BODY.length; at += 5) add(BODY.subarray(at, at + 5));
  try {
    finish();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

// Fails when one of the announcements is not looked at: damaged bytes would be stored as good ones.
test('every announcement is checked, and a wrong one is named', () => {
  const good = { sizeBytes: BODY.length, md5: digest('md5'), sha256: digest('sha256') };
  expect([check({}), check(good)]).toEqual([undefined, undefined]);
  const other = Buffer.from('something else');
  expect(check({ ...good, md5: digest('md5', other) })).toContain('Content-MD5');
  expect(check({ ...good, sha256: digest('sha256', other) })).toContain('x-amz-checksum-sha256');
  expect(check({ ...good, sha256: digest('sha256').subarray(1) })).toContain('x-amz-checksum-sha256');
  expect(check({ ...good, sizeBytes: 12 })).toContain('has 13 bytes; 12 were announced');
  expect(check({ ...good, sizeBytes: 0 })).toContain('0 were announced');
});

// Fails when the end of the body is waited for: a client could send without end what will be refused.
test('more than was announced is told at once', () => {
  const { add } = createBodyCheck({ sizeBytes: 3 });
  expect([add(Buffer.alloc(3)), add(Buffer.alloc(0)), add(Buffer.alloc(1))]).toEqual([true, true, false]);
  expect(createBodyCheck({}).add(Buffer.alloc(9))).toBe(true);
});
