import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';

async function masked(pieces: readonly string[], secrets: readonly string[]): Promise<string> {
  async function* body() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of maskSecrets(body(), secrets)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('a secret is stars, however it is cut; nothing else is touched', async () => {
  expect(await masked(['a s3cr3t-value b'], ['s3cr3t-value'])).toBe('a ************ b');
  expect(await masked(['a s3cr3', 't-val', 'ue', ' b s3cr3t-valu'], ['s3cr3t-value'])).toBe(
    'a ************ b s3cr3t-valu',
  );
  expect(await masked(['key123 stays'], ['key123'])).toBe('key123 stays');
  expect(await masked([], ['s3cr3t-value'])).toBe('');
});

test('a text in any pieces has no secret left, and its length', async () => {
  const secrets = ['aabaabaa', 'abababab'];
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(60), { maxLength: 8 }), async (whole, cuts) => {
      const edges = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
      const pieces = edges.slice(1).map((edge, index) => whole.slice(edges[index], edge));
      const shown = await masked(pieces, secrets);
      expect(shown).toHaveLength(whole.length);
      for (const secret of secrets) expect(shown).not.toContain(secret);
      expect([...shown].every((letter, index) => letter === whole[index] || letter === '*')).toBe(true);
    }),
    { numRuns: 300 },
  );
});
