import { expect, it } from 'vitest';
import { namespaceOf, podName, revisionName, toDnsLabel, toLabelValue } from './names.ts';

const OWNER = { account: 'acc_01m8fs', deployment: 'shop' };

it('names are DNS labels that people recognize', () => {
  expect(namespaceOf('berth', 'acc_01m8fs')).toMatch(/^berth-acc-01m8fs-[0-9a-f]{10}$/);
  expect(podName({ owner: OWNER, instanceId: 'inst_01abc' as never })).toMatch(/^shop-inst-01abc-[0-9a-f]{10}$/);
  expect(revisionName({ owner: OWNER, revision: 'shop-00007' })).toBe('shop-00007');
  expect(revisionName({ owner: OWNER, revision: 'r7' })).toBe('shop-r7');
});

// Fails when what a label can't hold is only replaced: two accounts would share a namespace.
it('different texts have different labels', () => {
  const texts = ['a_b', 'a-b', 'A-b', 'a.b', 'a--b', '-a', 'a-', 'ä', '日本', 'x'.repeat(70), 'x'.repeat(71)];
  for (const make of [(text: string) => toDnsLabel(text, 20), toLabelValue]) {
    const labels = texts.map(make);
    expect(new Set(labels).size).toBe(texts.length);
  }
  for (const text of texts) {
    expect(toDnsLabel(text, 20)).toMatch(/^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$/);
    expect(toLabelValue(text)).toMatch(/^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/);
  }
});
