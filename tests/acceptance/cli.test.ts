import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cli } from '../harness/cli.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter, type ProjectFiles } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();

/** A project on disk, in a folder of this name. */
function projectFolder(files: ProjectFiles, name = 'project'): string {
  const parent = mkdtempSync(path.join(tmpdir(), 'berth-project-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(parent, name, file)), { recursive: true });
    writeFileSync(path.join(parent, name, file), content);
  }
  return path.join(parent, name);
}

/** A service that answers with the names of its own files. */
const LISTER = `
  import { readdirSync } from 'node:fs';
  import { createServer } from 'node:http';
  const files = JSON.stringify(readdirSync('.', { recursive: true }).sort());
  createServer((request, response) => response.end(files)).listen(process.env.PORT, '0.0.0.0');
`;

describe('berth deploy', () => {
  it('packs a folder, ends with its address, and takes its name from the folder', async () => {
    const name = uniqueName('by-cli');
    const folder = projectFolder(greeter('from the command line'), name);
    const result = await cli(berth, ['deploy', folder]);
    expect(result).toMatchObject({ code: 0 });
    expect(result.stdout.trim().split('\n').at(-1)).toContain(`http://${name}.localhost:${berth.port}`);
    expect((await request(berth, name)).text).toBe('from the command line');
  });

  it('leaves out what is ignored, node_modules and .git', async () => {
    const name = uniqueName('ignoring');
    const files = {
      ...greeter(''),
      'server.js': LISTER,
      '.gitignore': 'secret.txt\n/build\n*.tmp\n!keep.tmp\n',
      '.berthignore': 'notes/\n',
      'secret.txt': '',
      'build/x': '',
      'sub/build/y': '',
      'a.tmp': '',
      'keep.tmp': '',
      'notes/n.md': '',
      'node_modules/m/index.js': '',
      '.git/config': '',
      '.env.example': 'A=1',
    };
    expect(await cli(berth, ['deploy', projectFolder(files), '--name', name])).toMatchObject({ code: 0 });
    const packed = (await request(berth, name)).json<string[]>();
    expect(packed).toEqual(expect.arrayContaining(['keep.tmp', 'sub/build/y', 'server.js', 'package.json']));
    for (const left of ['secret.txt', 'build', 'a.tmp', 'notes', 'node_modules/m', '.git']) {
      expect(packed).not.toContain(left);
    }
  });

  it('has every field of the contract as a flag', async () => {
    const name = uniqueName('flags');
    const flags = ['--port', '3000', '--memory', '512Mi', '--cpu', '0.5', '--timeout', '20', '--concurrency', '5'];
    const more = ['--max-instances', '2', '--session-affinity', '--volume', '/data=records', '--schedule', '0 5 * * *'];
    const words = [
      'deploy',
      projectFolder(greeter('x')),
      '--name',
      name,
      ...flags,
      ...more,
      '--timezone',
      'Europe/Oslo',
    ];
    expect(await cli(berth, words)).toMatchObject({ code: 0 });
    expect(await (await berth.api(`/v1/deployment/${name}`)).json()).toMatchObject({
      port: 3000,
      memory: '512Mi',
      cpu: 0.5,
      timeout: 20,
      concurrency: 5,
      max_instances: 2,
      session_affinity: true,
      volumes: { '/data': { name: 'records' } },
      schedule: { cron: '0 5 * * *', timezone: 'Europe/Oslo' },
    });
  });

  it('that fails ends with 1 and the reason', async () => {
    const files = { 'notes.txt': 'nothing to start' };
    const failed = await cli(berth, ['deploy', projectFolder(files), '--name', uniqueName('fails')]);
    expect(failed.code).toBe(1);
    expect(failed.stderr + failed.stdout).toContain('package.json');
    const missing = await cli(berth, ['deploy', '/no/such/folder', '--name', 'x']);
    expect([1, 2]).toContain(missing.code);
    expect(missing.stderr).toContain('/no/such/folder');
    expect(missing.stderr).not.toContain('    at ');
  });
});

describe('the other commands', () => {
  it('list, show logs, open and remove', async () => {
    const name = uniqueName('life');
    await cli(berth, ['deploy', projectFolder(greeter('x')), '--name', name]);
    expect((await cli(berth, ['ls'])).stdout).toContain(name);
    const logs = await cli(berth, ['logs', name, '--since', '30m', '--limit', '50']);
    expect(logs.code).toBe(0);
    expect(logs.stdout).not.toBe('');
    const refused = await cli(berth, ['rm', name]);
    expect(refused.code).not.toBe(0);
    expect((await cli(berth, ['ls'])).stdout).toContain(name);
    expect(await cli(berth, ['rm', name, '-y'])).toMatchObject({ code: 0 });
    expect((await cli(berth, ['ls'])).stdout).not.toContain(name);
    expect((await cli(berth, ['rm', name, '-y'])).code).toBe(1);
  });

  it('follow a log until they are stopped', async () => {
    const name = uniqueName('tail');
    await cli(berth, ['deploy', projectFolder(greeter('x')), '--name', name]);
    const stop = new AbortController();
    const following = cli(berth, ['logs', name, '-f'], { signal: stop.signal });
    for (let sent = 0; sent < 30; sent++) {
      await request(berth, name, `/?sent=${sent}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    stop.abort();
    expect((await following).stdout).toContain('sent=');
  });

  it('speak JSON with --json', async () => {
    const name = uniqueName('json');
    const deploy = await cli(berth, ['deploy', projectFolder(greeter('x')), '--name', name, '--json']);
    const last = JSON.parse(deploy.stdout.trim().split('\n').at(-1) as string);
    expect(JSON.stringify(last)).toContain(`http://${name}.localhost`);
    const list = JSON.parse((await cli(berth, ['ls', '--json'])).stdout) as { name: string }[];
    expect(list.map((row) => row.name)).toContain(name);
    expect(JSON.parse((await cli(berth, ['whoami', '--json'])).stdout)).toHaveProperty('account');
    expect(Object.keys(JSON.parse((await cli(berth, ['doctor', '--json'])).stdout)).length).toBeGreaterThan(0);
  });

  it('end with 2 when they are used wrongly', async () => {
    for (const words of [['no-such-command'], ['deploy', '--no-such-flag'], ['logs'], ['rm']]) {
      expect([words, (await cli(berth, words)).code]).toEqual([words, 2]);
    }
  });

  it('say who they talk to when the credential or the server is wrong', async () => {
    const denied = await cli(berth, ['ls'], { env: { BERTH_API_KEY: 'wrong-wrong-wrong-wrong-wrong-wrong' } });
    expect(denied.code).toBe(1);
    expect(denied.stderr).toMatch(/key|login/i);
    const silent = await cli(berth, ['ls'], { env: { BERTH_URL: 'http://127.0.0.1:9' } });
    expect(silent.code).toBe(1);
    expect(silent.stderr).toContain('127.0.0.1:9');
    expect(silent.stderr).not.toContain('    at ');
  });
});
