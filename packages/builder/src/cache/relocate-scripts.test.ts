import { link, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { relocateScripts } from './relocate-scripts.ts';

const OLD = '/data/ärtifacts/a/b/r1';
const NEW = '/data/ärtifacts/a/b/r2';

test("scripts get the interpreter's new path; their hard links stay unchanged", async () => {
  await using root = await createTemporaryFolder();
  const bin = join(root.path, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'uvicorn'), `#!${OLD}/.venv/bin/python\nimport sys\n`, { mode: 0o755 });
  await link(join(bin, 'uvicorn'), join(root.path, 'kept'));
  await writeFile(join(bin, 'other'), '#!/bin/sh\n');
  await symlink('/usr/bin/env', join(bin, 'python'));
  const untouched = await stat(join(bin, 'other'));

  await relocateScripts(root.path, OLD, NEW);
  expect(await readFile(join(bin, 'uvicorn'), 'utf8')).toBe(`#!${NEW}/.venv/bin/python\nimport sys\n`);
  expect((await stat(join(bin, 'uvicorn'))).mode & 0o111).toBe(0o111);
  expect(await readFile(join(root.path, 'kept'), 'utf8')).toContain(OLD);
  expect((await stat(join(bin, 'other'))).ino).toBe(untouched.ino);
});

test('a link in place of the scripts folder is not followed', async () => {
  await using root = await createTemporaryFolder();
  await mkdir(join(root.path, 'elsewhere'));
  await mkdir(join(root.path, 'venv'));
  await writeFile(join(root.path, 'elsewhere', 'script'), `#!${OLD}/x`);
  await symlink('../elsewhere', join(root.path, 'venv', 'bin'));
  await relocateScripts(join(root.path, 'venv'), OLD, NEW);
  expect(await readFile(join(root.path, 'elsewhere', 'script'), 'utf8')).toBe(`#!${OLD}/x`);
});

// Fails when the old path is replaced everywhere: a second run then finds it inside the new path.
test.each([
  ['/data/r1', '/data/r1/copy/r1'],
  ['/data/r1', '/mnt/data/r1'],
  ['/mnt/data/r1', '/data/r1'],
])('paths written by editable installs change from %s to %s, once', async (from, to) => {
  await using root = await createTemporaryFolder();
  const packages = join(root.path, '.venv/lib/python3.12/site-packages');
  await mkdir(packages, { recursive: true });
  const files = {
    'shop.pth': (project: string) => `${project}/src\n`,
    '__editable___shop_finder.py': (project: string) =>
      `MAPPING = {'shop': '${project}/shop'}\nOTHER = '/data/r10/x'\n`,
    'direct_url.json': (project: string) => `{"url": "file://${project}"}`,
  };
  for (const [name, textOf] of Object.entries(files)) await writeFile(join(packages, name), textOf(from));
  for (let run = 0; run < 2; run++) {
    await relocateScripts(root.path, from, to);
    for (const [name, textOf] of Object.entries(files))
      expect(await readFile(join(packages, name), 'utf8')).toBe(textOf(to));
  }
});
