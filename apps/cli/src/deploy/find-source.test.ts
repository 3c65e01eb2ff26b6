import path from 'node:path';
import { toName } from '@berth/client/pack';
import { DEPLOYMENT_NAME_PATTERN } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { deriveName } from './find-source.ts';

test('any text becomes a name or nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const name = toName(text);
      if (name !== '') expect(name).toMatch(DEPLOYMENT_NAME_PATTERN);
    }),
  );
  expect(['My App', 'Café_Déjà vu!', '2nd-app', '--x--', '日本', 'a'.repeat(80)].map(toName)).toEqual([
    'my-app',
    'cafe-deja-vu',
    'nd-app',
    'x',
    '',
    'a'.repeat(63),
  ]);
});

test('the package names it, else the folder; a file names itself', async () => {
  await using folder = await createTemporaryFolder();
  await folder.write({
    'Shop/package.json': '{"name":"@acme/The Shop"}',
    'broken/package.json': '{',
    'numbered/package.json': '{"name":1}',
  });
  const of = (name: string) => deriveName({ kind: 'folder', folder: path.join(folder.path, name) });
  expect([await of('Shop'), await of('broken'), await of('numbered')]).toEqual(['the-shop', 'broken', 'numbered']);
  expect(await deriveName({ kind: 'archive', file: '/x/My-App.v2.tar.gz' })).toBe('my-app-v2');
  await expect(deriveName({ kind: 'folder', folder: '/123' })).rejects.toThrow(/--name/);
});
