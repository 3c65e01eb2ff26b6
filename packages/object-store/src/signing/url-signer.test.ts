import { createFakeClock } from '@berth/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createUrlSigner, type Grant } from './url-signer.ts';

const DAY_MS = 24 * 3_600_000;
const grant: Grant = { method: 'PUT', account: 'acc_1', storageId: 'vol_1', path: 'a/b' };
const setup = () => {
  const clock = createFakeClock();
  return { clock, signer: createUrlSigner({ secret: new Uint8Array(32).fill(1), clock }) };
};

test('what was signed is good until it expires', () => {
  const { clock, signer } = setup();
  const signature = signer.sign(grant, clock.nowMs() + 60_000);
  expect(signer.verify(grant, signature)).toBe('good');
  clock.advance(60_000);
  expect(signer.verify(grant, signature)).toBe('good');
  clock.advance(2_000);
  expect(signer.verify(grant, signature)).toBe('expired');
});

test.each<[string, Partial<Grant>]>([
  ['method', { method: 'GET' }],
  ['account', { account: 'acc_2' }],
  ['volume', { storageId: 'vol_2' }],
  ['path', { path: 'a/c' }],
  ['border between volume and path', { storageId: 'vol_1/a', path: 'b' }],
])('another %s is wrong', (_what, change) => {
  const { clock, signer } = setup();
  const signature = signer.sign(grant, clock.nowMs() + 60_000);
  expect(signer.verify({ ...grant, ...change }, signature)).toBe('wrong');
});

test('a later expiry, another key and another spelling are wrong', () => {
  const { clock, signer } = setup();
  const signature = signer.sign(grant, clock.nowMs() + 60_000);
  expect(signer.verify(grant, { ...signature, expires: signature.expires + 1 })).toBe('wrong');
  for (const key of ['', '0', '-1', `0${signature.key}`, ' 1', `${Number(signature.key) + 1}`, 'NaN', '1e9'])
    expect(signer.verify(grant, { ...signature, key })).toBe('wrong');
  for (const text of ['', 'x', `${signature.signature}=`, `${signature.signature}A`, signature.signature.slice(1)])
    expect(signer.verify(grant, { ...signature, signature: text })).toBe('wrong');
});

test('no byte of a signature may differ', () => {
  const { clock, signer } = setup();
  const signature = signer.sign(grant, clock.nowMs() + 60_000);
  fc.assert(
    fc.property(fc.nat(signature.signature.length - 1), fc.base64String({ minLength: 4 }), (at, other) => {
      const text = signature.signature.slice(0, at) + (other[0] ?? 'A') + signature.signature.slice(at + 1);
      const expected = text === signature.signature ? 'good' : 'wrong';
      expect(signer.verify(grant, { ...signature, signature: text })).toBe(expected);
    }),
  );
});

test('the key changes with the day, and a URL outlives the change', () => {
  const { clock, signer } = setup();
  const early = signer.sign(grant, clock.nowMs() + DAY_MS);
  clock.advance(DAY_MS);
  const late = signer.sign(grant, clock.nowMs() + DAY_MS);
  expect(late.key).not.toBe(early.key);
  expect(signer.verify(grant, early)).toBe('good');
  expect(signer.verify(grant, late)).toBe('good');
  clock.advance(3 * DAY_MS);
  expect(signer.verify(grant, early)).toBe('wrong');
});

// Fails when `day <= today() - VERIFYING_KEYS` is `<`, or `day > today() + 1` is `>=`.
test('a key verifies for three days, and on a clock that was set back by one', () => {
  const { clock, signer } = setup();
  const signature = signer.sign(grant, clock.nowMs() + 9 * DAY_MS);
  clock.jump(-DAY_MS);
  expect(signer.verify(grant, signature)).toBe('good');
  clock.jump(-DAY_MS);
  expect(signer.verify(grant, signature)).toBe('wrong');
  clock.jump(4 * DAY_MS);
  expect(signer.verify(grant, signature)).toBe('good');
  clock.jump(DAY_MS);
  expect(signer.verify(grant, signature)).toBe('wrong');
});

// Fails when the key's derivation or the signed text changes: URLs that were handed out would stop working with an update.
test('a URL that an earlier version signed is good', () => {
  const { clock, signer } = setup();
  const expires = Math.ceil(clock.nowMs() / 1_000) + 60;
  const signature = { expires, key: '20454', signature: 'rvM9fij9Qe70u68jcnkvWmOkQKuTBaKXET88Ni_wjA4' };
  expect(signer.sign(grant, expires * 1_000)).toEqual(signature);
  expect(signer.verify(grant, signature)).toBe('good');
});

test('another secret signs nothing that counts', () => {
  const { clock, signer } = setup();
  const other = createUrlSigner({ secret: new Uint8Array(32).fill(2), clock });
  expect(signer.verify(grant, other.sign(grant, clock.nowMs() + 60_000))).toBe('wrong');
});

// Fails when only the first secret verifies: during a rotation, each server refuses the URLs of the others.
test('a secret of the ring verifies what another server signed with it', () => {
  const { clock, signer } = setup();
  const [one, two] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];
  const ring = createUrlSigner({ secret: two, otherSecrets: [one], clock });
  expect(ring.verify(grant, signer.sign(grant, clock.nowMs() + 60_000))).toBe('good');
  expect(signer.verify(grant, ring.sign(grant, clock.nowMs() + 60_000))).toBe('wrong');
});
