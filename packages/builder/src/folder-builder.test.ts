import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { PROGRAMS } from './plan/programs.ts';
import { buildArchive, buildTar } from './testing/build-tar.ts';
import { createBuilderFixture, OWNER, type SaidLine } from './testing/builder-fixture.ts';

const SERVER = `require('node:http').createServer((q, r) => r.end('hello ' + q.url)).listen(process.env.PORT, '0.0.0.0');`;
const PACKAGE = JSON.stringify({ name: 'shop', version: '1.2.3', scripts: { start: 'node server.js' } });
const NODE_APP = { 'package.json': PACKAGE, 'server.js': SERVER };

/** A Go program without net/http, which takes 10 s to compile. */
const GO_SERVER = `package main
import ("net"; "os")
func main() {
  listener, err := net.Listen("tcp", "0.0.0.0:" + os.Getenv("PORT"))
  if err != nil { panic(err) }
  for {
    connection, err := listener.Accept()
    if err != nil { panic(err) }
    connection.Read(make([]byte, 4096))
    connection.Write([]byte("HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\ngo"))
    connection.Close()
  }
}
`;

const deferred = () => Promise.withResolvers<void>();

/** Returns a project whose build runs `source` as a Node program. */
const building = (source: string) => ({
  ...NODE_APP,
  'package.json': JSON.stringify({ scripts: { start: 'node server.js', build: 'node build.js' } }),
  'build.js': source,
});

describe('a build', () => {
  test('of a Node app without dependencies runs nothing and starts', async () => {
    await using fixture = await createBuilderFixture();
    const { result, said } = await fixture.build(NODE_APP);
    expect(said).toEqual([
      `Unpacked 2 files, ${PACKAGE.length + SERVER.length} bytes`,
      'Detected Node.js (npm): node server.js',
    ]);
    expect(fixture.sandbox.commands).toEqual([]);
    expect(result).toMatchObject({
      artifact: {
        kind: 'folder',
        path: 'account_one/shop/r1',
        command: ['node', 'server.js'],
        env: { NODE_ENV: 'production', HOST: '0.0.0.0', npm_package_version: '1.2.3' },
        sharedFolders: [],
      },
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expect(await fixture.ask(result.artifact, '/x')).toEqual({ status: 200, text: 'hello /x' });
  });

  // Fails when the agent library in the archive isn't noticed, or a project without it is taken for an agent.
  test('knows an agent by its dependency', async () => {
    await using fixture = await createBuilderFixture();
    const plain = await fixture.build(NODE_APP);
    expect(plain.result?.artifact).not.toHaveProperty('isAgent');
    const dependencies = { '@berth/agent': 'file:library' };
    const library = JSON.stringify({ name: '@berth/agent', version: '1.0.0' });
    const agent = await fixture.build({
      ...NODE_APP,
      'package.json': JSON.stringify({ scripts: { start: 'node server.js' }, dependencies }),
      'library/package.json': library,
    });
    expect(agent.result).toMatchObject({ artifact: { isAgent: true } });
  });

  // Fails when the variables that a project requires are forgotten once it is built.
  test('tells which variables it requires', async () => {
    await using fixture = await createBuilderFixture();
    expect((await fixture.build(NODE_APP)).result?.requiredEnv).toEqual([]);
    const app = { ...NODE_APP, 'berth.json': '{"required_env":["STRIPE_KEY"]}' };
    expect((await fixture.build(app)).result?.requiredEnv).toEqual(['STRIPE_KEY']);
  });

  test('with a build script: its output comes line by line, its environment has nothing of the platform', async () => {
    process.env['BERTH_TEST_SECRET'] = 'platform';
    await using fixture = await createBuilderFixture({ env: { npm_config_registry: 'https://registry.example' } });
    const { lines, said } = await fixture.build(
      building(`console.log('making'); require('node:fs').writeFileSync('made.json', JSON.stringify(process.env));`),
    );
    delete process.env['BERTH_TEST_SECRET'];
    expect(said).toContain('$ npm run build');
    expect(lines).toContainEqual({ line: 'making', isOutput: true });
    const made = JSON.parse(await readFile(join(fixture.root, 'artifacts/account_one/shop/r1/made.json'), 'utf8'));
    expect(made).not.toHaveProperty('BERTH_TEST_SECRET');
    expect(made).toMatchObject({ CI: '1', HOME: join(fixture.root, 'cache/account_one/shop/home') });
    expect(made.npm_config_registry).toContain('registry.example');
  });

  test('of plain Python', async (context) => {
    await using fixture = await createBuilderFixture();
    if (!(await fixture.sandbox.findProgram('python3'))) context.skip('there is no python3 here');
    const { result, said } = await fixture.build({
      'main.py': `import os, http.server\nhttp.server.test(http.server.SimpleHTTPRequestHandler, port=int(os.environ['PORT']), bind='0.0.0.0')\n`,
      'hello.txt': 'hello',
    });
    expect(said).toContain('Detected Python: python main.py');
    expect(await fixture.ask(result.artifact, '/hello.txt')).toEqual({ status: 200, text: 'hello' });
  });

  test('of a Go program', { timeout: 120_000 }, async (context) => {
    await using fixture = await createBuilderFixture();
    if (!(await fixture.sandbox.findProgram('go'))) context.skip('there is no go here');
    const { result } = await fixture.build({
      'go.mod': 'module example.com/shop\n\ngo 1.21\n',
      'main.go': GO_SERVER,
    });
    expect(result.artifact).toMatchObject({ command: ['./.berth/app'], sharedFolders: ['.berth'] });
    expect(await fixture.ask(result.artifact, '/x')).toEqual({ status: 200, text: 'go' });
  });

  test('of a static site, and of one in the only folder of the archive', async () => {
    await using fixture = await createBuilderFixture();
    const site = await fixture.build({ 'index.html': 'home', 'css/a.css': 'a', '.env': 'SECRET' });
    expect(site.result.artifact).toMatchObject({ sharedFolders: ['css'] });
    expect(await fixture.ask(site.result.artifact, '/')).toEqual({ status: 200, text: 'home' });
    expect((await fixture.ask(site.result.artifact, '/.env')).status).toBe(404);

    const folder = await fixture.build({ 'my-site/index.html': 'deeper', '._my-site': 'litter' });
    expect(folder.said).toContain('The archive holds one folder, "my-site": using it as the project root');
    expect(await fixture.ask(folder.result.artifact, '/')).toEqual({ status: 200, text: 'deeper' });
    expect((await fixture.artifacts()).filter((path) => path.includes('unpacked'))).toEqual([]);
  });

  test('of a site that a build makes', async () => {
    await using fixture = await createBuilderFixture();
    const manifest = JSON.stringify({ scripts: { build: 'node build.js' } });
    const write = `fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', 'built');`;
    const { result } = await fixture.build({
      'package.json': manifest,
      'build.js': `const fs = require('fs'); ${write}`,
    });
    expect(result.artifact).toMatchObject({
      command: ['node', '.berth/static-server.mjs', 'dist'],
      sharedFolders: ['dist'],
    });
    expect(await fixture.ask(result.artifact, '/')).toEqual({ status: 200, text: 'built' });
    await expect(fixture.build({ 'package.json': manifest, 'build.js': '' })).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(/npm run build created no index.html/),
    });
  });

  test('a Procfile that needs a shell finds the programs of the dependencies', async () => {
    await using fixture = await createBuilderFixture();
    const { result } = await fixture.build({
      ...NODE_APP,
      Procfile: 'web: export GREETING="it costs 5$" && mine',
      'berth.json': JSON.stringify({ build: ['node build.js'] }),
      'build.js': `const fs = require('node:fs');
        fs.mkdirSync('node_modules/.bin', { recursive: true });
        fs.writeFileSync('node_modules/.bin/mine', '#!/usr/bin/env node\\nrequire("node:http").createServer((q, r) => r.end(process.env.GREETING)).listen(process.env.PORT)', { mode: 0o755 });`,
    });
    expect(await fixture.ask(result.artifact, '/')).toEqual({ status: 200, text: 'it costs 5$' });
  });

  test('whose lock file does not fit is installed without it, and says so', async () => {
    const npm = `#!/bin/sh
      test "$1" = install && exit 0
      echo 'npm ci can only install packages when your package.json and package-lock.json are in sync.'; exit 1`;
    await using fixture = await createBuilderFixture({ programs: { npm } });
    const manifest = JSON.stringify({ scripts: { start: 'node server.js' }, dependencies: { a: '1' } });
    const { said } = await fixture.build({ ...NODE_APP, 'package.json': manifest, 'package-lock.json': '{}' });
    expect(said.slice(-3)).toEqual([
      '$ npm ci',
      expect.stringMatching(/package-lock.json is out of sync with package.json/),
      '$ npm install',
    ]);
  });

  test('the same source makes the same digest', async () => {
    await using fixture = await createBuilderFixture();
    const one = await fixture.build(NODE_APP);
    const two = await fixture.build(Object.fromEntries(Object.entries(NODE_APP).reverse()));
    const other = await fixture.build({ ...NODE_APP, 'x.txt': '' });
    expect(two.result.digest).toBe(one.result.digest);
    expect(other.result.digest).not.toBe(one.result.digest);
  });
});

describe('a build that fails', () => {
  test('names the command, its exit code and its last lines, and leaves nothing', async () => {
    await using fixture = await createBuilderFixture();
    const source = `for (let i = 0; i < 60; i++) console.log('line ' + i); process.exit(3);`;
    await expect(fixture.build(building(source))).rejects.toMatchObject({
      code: 'build_failed',
      message: 'npm run build failed with exit code 3',
      details: { step: 'npm run build', logs: expect.arrayContaining(['line 59']) },
    });
    const logs = await fixture.build(building(source)).catch((error) => error.details.logs);
    expect(logs).toHaveLength(40);
    expect(await fixture.artifacts()).toEqual([]);
  });

  test('at its time limit', async () => {
    await using fixture = await createBuilderFixture({ limits: { timeoutMs: 1_000 } });
    await expect(fixture.build(building('setInterval(() => {}, 1000)'))).rejects.toMatchObject({
      code: 'build_timeout',
      message: 'The build took longer than 1 seconds and was stopped in npm run build',
    });
    expect(await fixture.artifacts()).toEqual([]);
  });

  test('when it prints without end', async () => {
    await using fixture = await createBuilderFixture({ limits: { outputBytes: 100_000 } });
    const endless = `const more = () => { while (process.stdout.write('x'.repeat(999) + '\\n')); process.stdout.once('drain', more); }; more();`;
    await expect(fixture.build(building(endless))).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(/printed more than 98 KiB/),
    });
  });

  test('when it is canceled', async () => {
    await using fixture = await createBuilderFixture();
    const abort = new AbortController();
    const onLine = ({ line }: SaidLine) => {
      if (line === 'started') abort.abort();
    };
    const building_ = fixture.build(building(`console.log('started'); setInterval(() => {}, 1000)`), {
      signal: abort.signal,
      onLine,
    });
    await expect(building_).rejects.toMatchObject({ code: 'cancelled' });
    expect(await fixture.artifacts()).toEqual([]);
  });

  test('for an archive that is hostile, whose neighbors stay as they are', async () => {
    await using fixture = await createBuilderFixture();
    await fixture.build(NODE_APP, { revision: 'good' });
    const before = await fixture.artifacts();
    const hostile = gzipSync(
      buildTar([
        { name: 'a', content: 'x' },
        { name: '../good/server.js', content: 'owned' },
      ]),
    );
    await expect(fixture.build(hostile)).rejects.toMatchObject({ code: 'archive_invalid' });
    expect(await fixture.artifacts()).toEqual(before);
  });

  test('for a link that leads out of the project in the only folder of an archive', async () => {
    await using fixture = await createBuilderFixture();
    const archive = gzipSync(
      buildTar([
        { name: 'app/main.py', content: '' },
        { name: 'app/up', type: '2', linkName: '../app' },
      ]),
    );
    await expect(fixture.build(archive)).rejects.toMatchObject({ message: expect.stringMatching(/link to outside/) });
  });

  test('for a project of no kind, and for a program that is missing', async () => {
    await using fixture = await createBuilderFixture();
    await expect(fixture.build({ 'notes.txt': 'x' })).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(/Procfile, package.json.*requirements.txt.*index.html/),
    });
    await expect(fixture.build({ 'deno.json': '{"tasks":{"start":"x"}}' })).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(/Deno is not installed on this server\. Install Deno/),
    });
    await expect(fixture.build({ Procfile: 'web: no-such-program-here' })).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(/there is no "no-such-program-here"/),
    });
  });

  test('when the disk has too little left', async () => {
    await using fixture = await createBuilderFixture({ limits: { freeDiskBytes: Number.MAX_SAFE_INTEGER } });
    await expect(fixture.build(NODE_APP)).rejects.toMatchObject({
      code: 'out_of_capacity',
      message: expect.stringMatching(/free/),
    });
  });
});

describe('what is kept', () => {
  test('remove deletes an artifact, and only its own', async () => {
    await using fixture = await createBuilderFixture();
    const one = await fixture.build(NODE_APP);
    const two = await fixture.build(NODE_APP);
    await fixture.builder.remove(one.result.artifact);
    await fixture.builder.remove(one.result.artifact);
    expect(await fixture.artifacts()).toContain('account_one/shop/r2/server.js');
    expect(await fixture.artifacts()).not.toContain('account_one/shop/r1');
    const elsewhere = join(fixture.root, 'elsewhere');
    await mkdir(elsewhere);
    await fixture.builder.remove({ kind: 'folder', path: elsewhere, command: [], env: {}, sharedFolders: [] });
    await fixture.builder.remove({ ...two.result.artifact, path: 'account_one/shop' } as never);
    expect(await readdir(fixture.root)).toContain('elsewhere');
    expect(await fixture.artifacts()).toContain('account_one/shop/r2/server.js');
    await fixture.builder.remove(two.result.artifact);
    expect(await fixture.artifacts()).toEqual([]);
  });

  test('collect deletes what a crash left behind, and nothing that is in use', async () => {
    await using fixture = await createBuilderFixture();
    const kept = await fixture.build(NODE_APP, { revision: 'kept' });
    await fixture.build(NODE_APP, { revision: 'lost' });
    await mkdir(join(fixture.root, 'artifacts/account_two/gone/.unpacked-r1'), { recursive: true });
    await symlink('/etc', join(fixture.root, 'artifacts/account_two/gone/.unpacked-r1/etc'));
    const archives = join(fixture.root, 'archives');
    const [first = ''] = await readdir(archives);
    await writeFile(join(archives, '.incoming-x'), '');

    const [detected, release] = [deferred(), deferred()];
    const running = fixture.build(NODE_APP, {
      revision: 'running',
      onLine: ({ line }) => {
        if (!line.startsWith('Detected')) return;
        detected.resolve();
        return release.promise;
      },
    });
    await detected.promise;
    await fixture.builder.collect({
      artifacts: [kept.result.artifact],
      archives: [{ path: join(archives, first), sizeBytes: 0, sha256: '' }],
    });
    release.resolve();
    await running;
    expect((await fixture.artifacts()).filter((path) => path.split('/').length === 3)).toEqual([
      'account_one/shop/kept',
      'account_one/shop/running',
    ]);
    expect(await readdir(archives)).toEqual([first]);
    expect((await lstat('/etc/hostname')).isFile()).toBe(true);
  });

  test('discard deletes a received archive, but no file that lies elsewhere', async () => {
    await using fixture = await createBuilderFixture();
    await fixture.build(NODE_APP);
    const [name = ''] = await readdir(join(fixture.root, 'archives'));
    const archive = { path: join(fixture.root, 'archives', name), sizeBytes: 1, sha256: '' };
    await fixture.builder.discard(archive);
    await fixture.builder.discard(archive);
    expect(await readdir(join(fixture.root, 'archives'))).toEqual([]);
    const elsewhere = join(fixture.root, 'volume.tar.gz');
    await writeFile(elsewhere, buildArchive(NODE_APP));
    await fixture.builder.discard({ ...archive, path: elsewhere });
    expect(await readdir(fixture.root)).toContain('volume.tar.gz');
  });
});

test('owners share no folder, and names that are no folder names are refused', async () => {
  await using fixture = await createBuilderFixture();
  await fixture.build(NODE_APP, { revision: 'r1' });
  await fixture.build(NODE_APP, { revision: 'r1', owner: { ...OWNER, account: 'account_two' } });
  expect(await fixture.artifacts()).toEqual(expect.arrayContaining(['account_one/shop/r1', 'account_two/shop/r1']));
  for (const bad of ['..', 'a/b', '', '.hidden', 'a\0b']) {
    await expect(fixture.build(NODE_APP, { revision: bad })).rejects.toThrow('is not a folder name');
    await expect(fixture.build(NODE_APP, { owner: { ...OWNER, deployment: bad } })).rejects.toThrow(
      'is not a folder name',
    );
  }
});

test('capabilities say what is here and how to get the rest', async () => {
  await using fixture = await createBuilderFixture();
  const capabilities = await fixture.builder.capabilities();
  expect(capabilities.map(({ id }) => id)).toEqual(PROGRAMS.map(({ name }) => `build-${name}`));
  expect(capabilities[0]).toMatchObject({ status: 'enforced', detail: expect.stringContaining(process.execPath) });
  for (const { status, remedy } of capabilities) expect(remedy === undefined).toBe(status === 'enforced');
});
