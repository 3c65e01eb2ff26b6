import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, rmdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../../tools/web/build-program.ts';
import { REPO } from '../harness/berth.ts';
import { guideBlocks } from '../harness/guide-shell.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Why systemd can't be the first process of new namespaces here, with the repository at /opt/berth; undefined when it can. */
const lacking =
  process.getuid?.() === 0 && ['/lib/systemd/systemd', '/usr/bin/bwrap', '/usr/sbin/nft'].every(existsSync)
    ? undefined
    : 'by design: needs root, systemd, bubblewrap and nftables';
const title = 'berth service, on a systemd of its own';

describe.skipIf(lacking)(lacking ? `${title}: ${lacking}` : title, { timeout: 120_000 }, () => {
  let folder: string;
  let shell: ChildProcess;
  let pid: string;

  /** Runs a program inside. @returns its exit code and its output on both streams */
  const inside = (...words: readonly string[]) => {
    const environment = ['PATH=/opt/berth/node_modules/.bin:/usr/local/bin:/usr/sbin:/usr/bin:/bin', 'HOME=/root'];
    const enter = ['-t', pid, '-a', 'env', '-i', '-C', '/opt/berth', ...environment, 'BERTH_DATA=/var/lib/berth'];
    return promisify(execFile)('nsenter', [...enter, ...words]).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        output: stdout + stderr,
      }),
    );
  };
  const berth = (...words: readonly string[]) => inside('node', 'apps/cli/bin/berth.js', ...words);
  const install = async (...words: readonly string[]) => {
    expect(await berth('service', 'install', '--set', 'BERTH_EXAMPLE=false', ...words)).toMatchObject({ code: 0 });
    await waitFor('the server', async () => (await inside('curl', '-fs', 'http://localhost:8787/readyz')).code === 0);
  };
  const checks = async () => {
    const report = JSON.parse((await berth('doctor', '--json')).output) as {
      readonly checks: readonly { readonly id: string; readonly status: string }[];
    };
    return Object.fromEntries(report.checks.map(({ id, status }) => [id, status]));
  };
  /** What the server has on the machine besides files. */
  const traces = async () => {
    const { output } = await inside(
      ...['sh', '-c', 'nft list tables; ls /run/netns /run/berth; ip -brief address; getent passwd berth'],
      // Control groups are removed by systemd.
    );
    return output;
  };

  beforeAll(async () => {
    await buildProgram(REPO, 'apps/server');
    folder = await mkdtemp(path.join(tmpdir(), 'berth-systemd-'));
    shell = spawn(path.join(REPO, 'tests/harness/boot-systemd.sh'), [folder, REPO], { stdio: 'inherit' });
    pid = await waitFor('systemd', async () => {
      const children = await promisify(execFile)('pgrep', ['-P', String(shell.pid)]).catch(() => ({ stdout: '' }));
      pid = children.stdout.trim();
      return pid !== '' && (await inside('systemctl', 'is-active', 'basic.target')).code === 0 && pid;
    });
  }, 60_000);
  afterAll(async () => {
    const ended = once(shell, 'exit');
    shell.kill('SIGKILL');
    await ended;
    // Its processes end, and then its control groups can be removed, the innermost first.
    const findGroups = () =>
      globSync(`/sys/fs/cgroup/{*/,}${path.basename(folder)}{,/**}/cgroup.procs`)
        .sort()
        .reverse();
    await waitFor('the end of the control groups', () => {
      for (const file of findGroups()) {
        try {
          rmdirSync(path.dirname(file));
        } catch {
          // A process in it is ending.
        }
      }
      return findGroups().length === 0;
    });
    await rm(folder, { recursive: true, force: true });
  });

  it('runs as its own user, sandboxes services, and keeps its secrets out of the journal', async () => {
    await install('--set', 'BERTH_DOMAIN=localhost');
    const { output } = await berth('service', 'status', '--json');
    expect(JSON.parse(output)).toMatchObject({ active: true, enabled: true, user: 'berth', restarts: 0 });
    expect((await inside('stat', '-c', '%a %U', '/etc/berth/berth.env', '/var/lib/berth')).output).toBe(
      '600 root\n700 berth\n',
    );
    expect(await checks()).toMatchObject({ sandbox: 'enforced', 'syscall-filter': 'enforced' });
    const key = (await inside('cat', '/var/lib/berth/api-key')).output.trim();
    const journal = (await inside('journalctl', '--unit', 'berth')).output;
    expect(journal).toContain('is running');
    expect(journal).not.toContain(key);
    expect(journal).not.toContain('first-run#');
  });

  it('serves a deploy, is restarted when it is killed, and continues after an uninstall that keeps the data', async () => {
    await inside('cp', '-r', 'examples/hello-node', '/run/hello-node');
    expect(await berth('deploy', '/run/hello-node')).toMatchObject({ code: 0 });
    const serves = async () =>
      (await inside('curl', '-fs', '-H', 'Host: hello-node.localhost', 'http://127.0.0.1:8787/')).code === 0;
    expect(await serves()).toBe(true);
    const main = (await inside('systemctl', 'show', '-P', 'MainPID', 'berth')).output.trim();
    await inside('kill', '-9', main);
    await waitFor('the restarted server', serves);
    expect(await berth('service', 'uninstall')).toMatchObject({ code: 2 });
    expect(await berth('service', 'uninstall', '-y')).toMatchObject({ code: 0 });
    expect((await inside('stat', '-c', '%a %U', '/var/lib/berth')).output).toBe('700 root\n');
    expect(await berth('service', 'install', '--root')).toMatchObject({
      code: 2,
      output: expect.stringContaining('was not root'),
    });
    await install();
    await waitFor('the service', serves);
  });

  it('leaves nothing with --delete-data', async () => {
    expect(await berth('service', 'uninstall', '-y', '--delete-data')).toMatchObject({ code: 0 });
    expect(
      (await inside('ls', '/var/lib/berth', '/etc/berth', '/etc/systemd/system/berth.service')).output,
    ).not.toMatch(/^\//m);
    expect(await traces()).not.toMatch(/table inet berth|^berth|198\.18\./m);
    expect(await berth('service', 'status')).toMatchObject({ code: 2, output: expect.stringContaining('No service') });
  });

  it('isolates accounts as root, and an uninstall removes what a killed server left', async () => {
    await install('--root', '--set', 'BERTH_REQUIRE_ISOLATION=true');
    expect(await checks()).toMatchObject({
      ...{ sandbox: 'enforced', 'network-isolation': 'enforced', 'user-isolation': 'enforced' },
      ...{ 'syscall-filter': 'enforced', 'memory-limit': 'enforced', 'cpu-limit': 'enforced' },
    });
    expect(await traces()).toMatch(/table inet berth[\s\S]*^berth/m);
    await inside('systemctl', 'kill', '--signal=KILL', 'berth');
    await inside('systemctl', 'stop', 'berth');
    expect(await traces()).toMatch(/table inet berth/);
    expect(await berth('service', 'uninstall', '-y', '--delete-data')).toMatchObject({ code: 0 });
    expect(await traces()).not.toMatch(/table inet berth|^berth|198\.18\./m);
  });

  it('is installed, changed and removed as the guide says', async () => {
    const blocks = [
      ...guideBlocks('install', 'sh', 'Run it as a service'),
      ...guideBlocks('install', 'sh', 'Uninstall'),
    ];
    const lines = blocks.flatMap((block) => block.trim().split('\n'));
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      const [sudo, program, ...words] = line.split(' ');
      expect([sudo, program]).toEqual(['sudo', 'berth']);
      expect([line, await berth(...words)]).toEqual([line, expect.objectContaining({ code: 0 })]);
    }
  });

  // Fails when the installation replaces a unit that someone else wrote.
  it('leaves units of others alone', async () => {
    await inside('sh', '-c', 'printf "[Service]\nExecStart=/bin/true\n" >/etc/systemd/system/berth.service');
    const refused = { code: 2, output: expect.stringContaining('was not written by') };
    expect(await berth('service', 'install')).toMatchObject(refused);
    expect(await berth('service', 'uninstall', '-y')).toMatchObject(refused);
  });
});
