import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ERRORS } from '@berth/contract';
import { expect, test } from 'vitest';
import { REPO } from '../harness/berth.ts';

const read = (file: string) => readFileSync(path.join(REPO, file), 'utf8');

// Fails when a code of the table is thrown nowhere, and when it is missing in the API reference.
test('each error code is thrown somewhere, and is in the API reference', () => {
  const files = globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts'], { cwd: REPO });
  const sources = files.filter((file) => !file.includes('.test.')).map(read);
  expect(sources.length).toBeGreaterThan(1_000);
  const thrown = new Set(
    sources.flatMap((text) => [...text.matchAll(/createError\(\s*'(\w+)'/g)].map(([, code]) => code)),
  );
  const reference = read('docs/api.md');
  for (const [code, { status }] of Object.entries(ERRORS)) {
    expect(thrown, code).toContain(code);
    expect(reference).toContain(`| \`${code}\` | ${status} |`);
  }
});
