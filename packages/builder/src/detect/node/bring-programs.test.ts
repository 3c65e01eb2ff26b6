import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBuilderFixture } from '../../testing/builder-fixture.ts';

/** A fake npm that installs a "Node" in the given folder: the machine's own, with a marker in its output. */
const NPM = `#!/bin/sh
case "$*" in --version) echo 9.9.9; exit;; *@99*) echo 'npm error code ETARGET'; exit 1;; esac
mkdir -p .berth/tools/node_modules/.bin node_modules/.bin
printf '#!/bin/sh\nexport BROUGHT=22\nexec "${process.execPath}" "$@"\n' > .berth/tools/node_modules/.bin/node
printf '#!/usr/bin/env node\nrequire("../../server.js")' > node_modules/.bin/serve
chmod +x .berth/tools/node_modules/.bin/node node_modules/.bin/serve
`;
const SERVER = `require('node:http').createServer((q, r) => r.end('on ' + process.env.BROUGHT)).listen(process.env.PORT, '0.0.0.0');`;
const project = (start: string, version = '22') => ({
  'package.json': JSON.stringify({ scripts: { start, build: 'true' } }),
  'server.js': SERVER,
  '.nvmrc': version,
});

// Fails when bin folders are only searched for the first word of a command: `serve` would run on the server's own Node.
test.each(['node server.js', 'serve', 'true && exec serve'])(
  '"%s" runs on the Node that was brought',
  async (start) => {
    await using fixture = await createBuilderFixture({ programs: { npm: NPM } });
    const { result, said } = await fixture.build({
      ...project(start),
      'berth.json': JSON.stringify({ build: ['node -p process.env.BROUGHT'] }),
    });
    expect(said).toContain('$ npm install node@22 npm@10');
    expect(result.artifact).toMatchObject({ sharedFolders: ['node_modules', '.berth/tools'] });
    expect(await fixture.ask(result.artifact, '/')).toEqual({ status: 200, text: 'on 22' });
  },
);

test('it is kept for the next build, and relative to the project', async () => {
  await using fixture = await createBuilderFixture({ programs: { npm: NPM } });
  const first = await fixture.build({ ...project('node server.js'), 'berth.json': '{"build": []}' });
  const second = await fixture.build({ ...project('node server.js'), 'berth.json': '{"build": []}' });
  expect(second.said).toContain('Dependencies unchanged: using the cached .berth/tools');
  // Fails when a service is started from the folder in which it was first built.
  await fixture.builder.remove(first.result.artifact);
  expect(await fixture.ask(second.result.artifact, '/')).toEqual({ status: 200, text: 'on 22' });
  expect(JSON.stringify(second.result.artifact)).not.toContain(`${fixture.root}/artifacts/account_one/shop/r1`);
});

test('a version missing from the registry is an error that names the installed version', async () => {
  await using fixture = await createBuilderFixture({ programs: { npm: NPM } });
  await expect(fixture.build(project('node server.js', '99'))).rejects.toMatchObject({
    code: 'build_failed',
    message: expect.stringMatching(
      `^\\.nvmrc asks for Node\\.js 99, and the npm registry has none .*This server has Node\\.js ${process.versions.node}`,
    ),
  });
});

test('a link that replaces a cached folder is not copied', async () => {
  await using fixture = await createBuilderFixture({ programs: { npm: NPM } });
  const outside = join(fixture.root, 'outside');
  await mkdir(join(outside, 'tools'), { recursive: true });
  await writeFile(join(outside, 'tools/secret'), '');
  const build = ['rm -rf .berth', `ln -s ${outside} .berth`];
  const tree = { ...project('echo'), 'berth.json': JSON.stringify({ build }) };
  await fixture.build(tree);
  // Fails when only the last component of a folder's path is checked: the server would copy its own files.
  expect(await readdir(join(fixture.root, 'cache'), { recursive: true })).not.toContainEqual(
    expect.stringContaining('secret'),
  );
  expect((await fixture.build(tree)).said).toContain('$ npm install node@22 npm@10');
});
