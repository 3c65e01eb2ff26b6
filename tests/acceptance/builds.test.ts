import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { startBerth } from '../harness/berth.ts';
import { deploy, deployed } from '../harness/deploy.ts';
import { folderBytes } from '../harness/folder-bytes.ts';
import { uniqueName } from '../harness/names.ts';
import { needs, needsEnforced } from '../harness/needs.ts';
import { findProcesses } from '../harness/processes.ts';
import { greeter, nodeProject, type ProjectFiles } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { needsProcesses, RUNTIME } from '../harness/runtime.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

/** On a cluster, a build begins with a Pod, and may wait for its images. */
const berth = useBerth({ env: { BERTH_BUILD_TIMEOUT: RUNTIME === 'kubernetes' ? '60' : '10' } });

/** A project whose build runs `source` as a Node program. */
const buildRunning = (source: string, more: ProjectFiles = {}): ProjectFiles => ({
  ...greeter('built'),
  'build.js': source,
  'berth.json': JSON.stringify({ build: ['node build.js'] }),
  ...more,
});

describe('a project', () => {
  it('that nothing recognizes ends in build_failed, saying what was looked for', async () => {
    verifies('code.build-failed');
    const { last } = await deploy(berth, uniqueName('nothing'), { files: { 'notes.txt': 'hello' } });
    expect(last).toMatchObject({ status: 'ERROR', code: 'build_failed' });
    for (const looked of ['package.json', 'requirements.txt', 'go.mod', 'index.html', 'Procfile']) {
      expect(last.message).toContain(looked);
    }
  });

  it.skipIf(RUNTIME !== 'process')('with only a Dockerfile is told what that needs', async () => {
    verifies('code.build-failed');
    const files = { Dockerfile: 'FROM scratch\nCMD ["/app"]\n' };
    const { last } = await deploy(berth, uniqueName('docker'), { files });
    expect(last).toMatchObject({ status: 'ERROR', code: 'build_failed' });
    expect(last.message).toMatch(/docker/i);
  });

  it('that listens on a fixed port, as the templates of Hono and Koa do, is served beside another one', async (context) => {
    // Fails when instances share one network: the second finds its port taken. PORT is not read, on purpose.
    await needsEnforced(context, berth, 'network-isolation');
    const source = (text: string) => `require('node:http').createServer((q, r) => r.end('${text}')).listen(3000);`;
    const names = [uniqueName('hono'), uniqueName('koa')];
    for (const name of names)
      await deployed(berth, name, { files: { 'server.js': source(name) }, fields: { port: '3000' } });
    for (const name of names) expect((await request(berth, name, '/')).text).toBe(name);
  });

  // Fails when the Node that npm brings is not first on the PATH of builds, or of the service.
  it('that asks for another Node is built and served by that one', { timeout: 180_000 }, async (context) => {
    needsProcesses(context, 'the image says which Node there is');
    await needs(context, 'npm');
    // The download may take longer than the other builds of this file may.
    await using own = await startBerth();
    const name = uniqueName('nvmrc');
    const files = {
      ...nodeProject(
        `import { readFileSync } from 'node:fs';
         import { createServer } from 'node:http';
         const versions = [readFileSync('built-by', 'utf8'), process.version];
         createServer((request, response) => response.end(versions.join(' '))).listen(process.env.PORT, '0.0.0.0');`,
        { 'build.js': `import { writeFileSync } from 'node:fs'; writeFileSync('built-by', process.version);` },
      ),
      '.nvmrc': 'v22\n',
      'berth.json': JSON.stringify({ build: ['node build.js'] }),
    };
    const { events } = await deployed(own, name, { files });
    expect(events.map(({ message }) => message).join('\n')).toMatch(
      /\.nvmrc asks for Node\.js v?22; .*installing it with npm/,
    );
    expect((await request(own, name)).text).toMatch(/^v22\.\S+ v22\.\S+$/);
  });

  it('with a Procfile is started as it says', async () => {
    const name = uniqueName('procfile');
    const files = { Procfile: 'web: node app.mjs hello\n', 'app.mjs': ARGUMENT_SERVER };
    await deployed(berth, name, { files });
    expect((await request(berth, name)).text).toBe('hello');
  });

  // Fails when a runtime ignores `InstanceSpec.command`, or `releaseRevision` isn't called.
  it("whose Procfile has a release line runs it with the service's environment and volumes before it serves", async () => {
    const name = uniqueName('release');
    const files = {
      Procfile: 'release: node release.mjs $PORT\nweb: node app.mjs\n',
      'release.mjs': `import fs from 'node:fs';
        console.log('releasing for ' + process.env.K_SERVICE);
        fs.appendFileSync('/data/releases', process.env.K_REVISION + '\\n');
        if (fs.existsSync('broken')) { console.error('no such table'); process.exit(3); }`,
      'app.mjs': `import fs from 'node:fs'; import http from 'node:http';
        http.createServer((q, r) => r.end(fs.readFileSync('/data/releases'))).listen(process.env.PORT);`,
    };
    const fields = { volumes: JSON.stringify({ '/data': name }) };
    const { events } = await deployed(berth, name, { files, fields });
    expect(events.map(({ message }) => message)).toContain(`releasing for ${name}`);
    expect((await request(berth, name)).text).toMatch(/^[\w-]+-00001-\w+\n$/);

    const { last } = await deploy(berth, name, { files: { ...files, broken: '' }, fields });
    expect(last).toMatchObject({
      status: 'ERROR',
      code: 'start_failed',
      logs: expect.arrayContaining(['no such table']),
    });
    expect(last.message).toMatch(/release command "node release.mjs \$PORT" failed with exit code 3.*keeps serving/);
    expect((await request(berth, name)).text).toMatch(/^[\w-]+-00001-\w+\n[\w-]+-00002-\w+\n$/);
  });

  it('whose Procfile has a worker is told what to do', async () => {
    const files = { ...greeter('x'), Procfile: 'web: node server.js\nworker: node work.js\n' };
    const { last } = await deploy(berth, uniqueName('worker'), { files });
    expect(last).toMatchObject({
      status: 'ERROR',
      code: 'build_failed',
      message: expect.stringMatching(/"worker".*\$PORT/),
    });
  });

  it.skipIf(RUNTIME !== 'process')('with a Dockerfile beside it is built as what it is, and that is said', async () => {
    const name = uniqueName('beside');
    const { events } = await deployed(berth, name, { files: { ...greeter('itself'), Dockerfile: 'FROM scratch\n' } });
    expect((await request(berth, name)).text).toBe('itself');
    expect(events.some(({ message }) => message.startsWith('The Dockerfile is ignored'))).toBe(true);
  });

  it('with a build script is built, and only then started', async () => {
    const name = uniqueName('script');
    const manifest = { type: 'module', scripts: { build: 'node make.js', start: 'node out/server.js' } };
    const files = {
      'package.json': JSON.stringify(manifest),
      'make.js': `import fs from 'node:fs'; fs.mkdirSync('out'); fs.copyFileSync('server.js', 'out/server.js');`,
      'server.js': greeter('made')['server.js'] as string,
    };
    const { events } = await deployed(berth, name, { files });
    expect((await request(berth, name)).text).toBe('made');
    expect(events.some((event) => event.message.includes('Detected Node'))).toBe(true);
  });

  it('whose manifest is broken ends in build_failed', async () => {
    const { last } = await deploy(berth, uniqueName('broken'), { files: { 'package.json': '{"name":' } });
    expect(last).toMatchObject({ status: 'ERROR', code: 'build_failed' });
    expect(last.message).toContain('package.json');
  });

  it('that needs a package nobody has ends in build_failed with the log', async (context) => {
    await needs(context, 'npm');
    const manifest = { scripts: { start: 'node a.js' }, dependencies: { '@berth/no-such-package-here': '1.0.0' } };
    const files = { 'package.json': JSON.stringify(manifest), 'a.js': '' };
    const { last } = await deploy(berth, uniqueName('missing'), { files });
    expect(last).toMatchObject({ status: 'ERROR', code: 'build_failed' });
    expect(last.logs?.join('\n')).toContain('no-such-package-here');
  });
});

describe('a build', () => {
  it('that fails ends in build_failed with its last lines', async () => {
    verifies('code.build-failed', 'stream.error');
    const files = buildRunning(`console.log('almost'); console.error('no luck'); process.exit(3);`);
    const { last } = await deploy(berth, uniqueName('fails'), { files });
    expect(last).toMatchObject({ status: 'ERROR', code: 'build_failed' });
    expect(last.message).toContain('3');
    expect(last.logs).toEqual(expect.arrayContaining(['almost', 'no luck']));
  });

  it('that hangs is ended at its time limit, with all it started', async (context) => {
    verifies('code.build-timeout');
    await needs(context, 'procfs');
    const marker = uniqueName('hanging-build');
    const files = buildRunning(
      `import { spawn } from 'node:child_process';
       spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)', '${marker}'], { detached: true });
       process.on('SIGTERM', () => {});
       setInterval(() => {}, 1e6);`,
    );
    const { last } = await deploy(berth, uniqueName('hangs'), { files });
    expect(last).toMatchObject({ status: 'ERROR', code: 'build_timeout' });
    await waitFor('nothing of the build runs', () => findProcesses(marker).length === 0);
  });

  it('that prints without end is ended, and the server keeps neither its memory nor its disk for it', async () => {
    const before = folderBytes(berth.dataFolder);
    const files = buildRunning(
      `const line = 'x'.repeat(1023) + '\\n';
       const more = () => { while (process.stdout.write(line.repeat(64))); process.stdout.once('drain', more); };
       more();`,
    );
    const { last, events } = await deploy(berth, uniqueName('prints'), { files });
    expect(last.status).toBe('ERROR');
    expect(['build_failed', 'build_timeout']).toContain(last.code);
    expect(JSON.stringify(events).length).toBeLessThan(128 * 2 ** 20);
    expect(folderBytes(berth.dataFolder) - before).toBeLessThan(128 * 2 ** 20);
    expect((await berth.api('/readyz')).status).toBe(200);
  });

  it('finds neither the data folder nor the key of the platform', async () => {
    verifies('service.clean-environment');
    const files = buildRunning(
      `import fs from 'node:fs';
       console.log('ENV ' + JSON.stringify(process.env));
       for (const file of ['${berth.dataFolder}/api-key', '/proc/${process.pid}/environ'])
         try { fs.readFileSync(file); console.log('LEAK ' + file); } catch {}`,
    );
    const { events } = await deployed(berth, uniqueName('curious'), { files });
    const output = events.map((event) => event.message).join('\n');
    expect(output).toContain('ENV ');
    expect(output).not.toContain('LEAK');
    expect(output).not.toContain(berth.key);
    expect(output).not.toContain('BERTH_BOOTSTRAP_KEY');
  });
});

const ARGUMENT_SERVER = `
  import { createServer } from 'node:http';
  createServer((request, response) => response.end(process.argv[2])).listen(process.env.PORT, '0.0.0.0');
`;
