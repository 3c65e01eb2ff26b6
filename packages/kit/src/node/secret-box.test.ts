import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretBox } from './secret-box.ts';

const key = randomBytes(32);
const box = createSecretBox(key);

describe('a secret box', () => {
  it('opens its own sealed text, which reveals nothing of the secret', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string(), { maxLength: 4 }), (secret, context) => {
        const sealed = box.seal(secret, context);
        expect(box.open(sealed, context)).toBe(Buffer.from(secret, 'utf8').toString('utf8'));
        if (secret.length > 4) expect(sealed).not.toContain(secret);
      }),
      { numRuns: 50 },
    );
  });

  it('never returns the same sealed text twice', () => {
    expect(box.seal('a', ['b'])).not.toBe(box.seal('a', ['b']));
  });

  it('does not open with another key or context', () => {
    const sealed = box.seal('secret', ['env', 'acc_1', 'app', 'KEY']);
    for (const context of [
      ['env', 'acc_2', 'app', 'KEY'],
      ['env', 'acc_1', 'app2', 'KEY'],
      ['env', 'acc_1', 'app', 'KEY2'],
      ['env', 'acc_1', 'appKEY'],
      [],
    ]) {
      expect(() => box.open(sealed, context)).toThrow();
    }
    expect(() => createSecretBox(randomBytes(32)).open(sealed, ['env', 'acc_1', 'app', 'KEY'])).toThrow(/another key/);
  });

  it('detects every changed byte', () => {
    const sealed = box.seal('secret', ['x']);
    const start = sealed.lastIndexOf('.') + 1;
    const bytes = Buffer.from(sealed.slice(start), 'base64url');
    bytes.forEach((byte, index) => {
      const changed = Buffer.from(bytes);
      changed[index] = byte ^ 1;
      expect(() => box.open(sealed.slice(0, start) + changed.toString('base64url'), ['x'])).toThrow();
    });
    expect(() => box.open(sealed.slice(0, start + 8), ['x'])).toThrow(/truncated/);
  });

  it('requires a key of 32 bytes', () => {
    for (const size of [0, 16, 31, 33]) expect(() => createSecretBox(randomBytes(size))).toThrow(/32/);
  });
});
