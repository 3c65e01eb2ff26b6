import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = path.join(import.meta.dirname, '..');

// Fails when a cookie gets its name in any other way, as by a literal: then the gateway would hand it to services.
test('every cookie of the platform is one that the gateway keeps from services', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  const setters = files.filter((file) => readFileSync(path.join(SOURCES, file), 'utf8').includes("from 'hono/cookie'"));
  expect(setters.length).toBeGreaterThan(2);
  for (const file of setters) {
    const source = readFileSync(path.join(SOURCES, file), 'utf8');
    for (const [call, name = ''] of source.matchAll(/\b(?:set|delete)Cookie\(c, ([^,]+),/g)) {
      expect(source, `${file}: ${call}`).toContain(`${name} = platformCookieName(`);
    }
  }
});
