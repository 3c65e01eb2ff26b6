import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Every module that `file` brings along at run time, itself included, and what of it is not a file of ours. */
function reach(file: string, files: Set<string> = new Set(), foreign: Set<string> = new Set()) {
  if (files.has(file)) return { files, foreign };
  files.add(file);
  const imports = /^(?:import|export)\s(?!type\s)[^;]*?from '([^']+)';|^import '([^']+)';/gm;
  for (const [, from, bare] of readFileSync(file, 'utf8').matchAll(imports)) {
    const specifier = from ?? bare ?? '';
    if (specifier.startsWith('.')) reach(path.resolve(path.dirname(file), specifier), files, foreign);
    const [, name, module = 'index'] = /^@berth\/(\w+)(?:\/(.+))?$/.exec(specifier) ?? [];
    if (name) reach(path.resolve(import.meta.dirname, `../../${name}/src/${module}.ts`), files, foreign);
    else if (!specifier.startsWith('.')) foreign.add(specifier);
  }
  return { files, foreign };
}

test('the client brings nothing of Node into a browser', () => {
  const { files, foreign } = reach(path.join(import.meta.dirname, 'index.ts'));
  expect([...foreign]).toEqual(['openapi-fetch']);
  expect(files.size).toBeGreaterThan(20);
  expect(reach(path.join(import.meta.dirname, 'node/index.ts')).foreign).toContain('node:http');
});
