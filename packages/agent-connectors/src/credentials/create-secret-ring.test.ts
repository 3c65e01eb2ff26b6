import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSecretRing } from './create-secret-ring.ts';

const key = (id: string) => ({ id, bytes: randomBytes(32) });
const CONTEXT = ['alice', 'crm', 'credential'];

test('a sealed text opens only with its key, purpose and context', () => {
  const [one, two] = [key('k1'), key('k2')];
  const ring = createSecretRing([one, two]);
  const box = ring.box('credentials');
  const sealed = box.seal('a secret, 🔑', CONTEXT);
  expect(sealed).toMatch(/^k1\.[\w-]+$/);
  expect(box.open(sealed, CONTEXT)).toBe('a secret, 🔑');
  expect(createSecretRing([two, one]).box('credentials').open(sealed, CONTEXT)).toBe('a secret, 🔑');
  expect(createSecretRing([two]).box('credentials').open(sealed, CONTEXT)).toBeUndefined();
  // The same id, another key.
  expect(
    createSecretRing([key('k1')])
      .box('credentials')
      .open(sealed, CONTEXT),
  ).toBeUndefined();
  expect(ring.box('other').open(sealed, CONTEXT)).toBeUndefined();
  const strangers = [
    ['bob', 'crm', 'credential'],
    ['alice', 'mail', 'credential'],
    ['alice', 'crm', 'client'],
    [],
    ['alice', 'crm'],
    ['alice,crm', 'credential'],
    ['alice', 'crm', 'credential', ''],
  ];
  for (const context of strangers) expect(box.open(sealed, context)).toBeUndefined();
  for (const junk of ['', '.', 'k1', 'k1.', 'k1.AAAA', sealed.slice(2), ` ${sealed}`]) {
    expect(box.open(junk, CONTEXT)).toBeUndefined();
  }
});

test('a change of any bit is detected', () => {
  const box = createSecretRing([key('k1')]).box('credentials');
  const sealed = box.seal('secret', CONTEXT);
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(box.open(`k1.${changed.toString('base64url')}`, CONTEXT)).toBeUndefined();
  }
  // Also of what base64 does not tell apart.
  for (const last of 'ABCDEFGHabcdefgh0123456789-_') {
    const spelled = sealed.slice(0, -1) + last;
    if (spelled !== sealed) expect(box.open(spelled, CONTEXT)).toBeUndefined();
  }
  for (let end = 3; end < sealed.length; end++) expect(box.open(sealed.slice(0, end), CONTEXT)).toBeUndefined();
});

test('no nonce repeats in 100,000 seals', () => {
  const box = createSecretRing([key('k1')]).box('credentials');
  const nonces = new Set<string>();
  // 12 bytes are 16 characters of base64.
  for (let count = 0; count < 100_000; count++) nonces.add(box.seal('x', []).slice(3, 19));
  expect(nonces.size).toBe(100_000);
});
