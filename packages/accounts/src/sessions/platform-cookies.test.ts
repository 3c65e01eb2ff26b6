import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PLATFORM_COOKIES } from '@berth/contract';
import { expect, test } from 'vitest';

const SOURCES = path.join(import.meta.dirname, '..');

// Fails when a cookie has a name that is not in the list: then the gateway would hand it to services.
test('every cookie of the platform is one that the gateway keeps from services', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  const sources = files.map((file) => readFileSync(path.join(SOURCES, file), 'utf8')).join('\n');
  const labels = [...sources.matchAll(/\bcreateHostCookie\(\{\s*label(?:: ([^,]+))?,/g)].map(([, label]) => label);
  expect(labels.length).toBeGreaterThan(3);
  // A shorthand is the parameter of `createBrowserCookie`, whose type is that of the list.
  const literals = labels.filter((label) => label !== undefined).map((label) => label.replaceAll("'", ''));
  expect(literals.filter((label) => !(PLATFORM_COOKIES as readonly string[]).includes(label))).toEqual([]);
});
