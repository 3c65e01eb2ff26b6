import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { probeSandbox, runSandboxed } from '@berth/agent-core';
import { waitUntil } from '@berth/testkit';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { openToolAgent } from '../testing/open-tool-agent.ts';
import { commandTool } from './command-tool.ts';

const probe = await probeSandbox();
const problem = 'problem' in probe ? probe.problem : undefined;
const canProc = 'hasProc' in probe && probe.hasProc;
const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;

test('the tool is there where bubblewrap is, and says why not where it is not', () => {
  if (!hasBubblewrap) expect(problem).toContain('bubblewrap');
  else if (problem !== undefined) expect(problem).toContain('does not work here');
});

describe.skipIf(problem !== undefined)(`commands in a sandbox${problem === undefined ? '' : ` (${problem})`}`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'berth-command-'));
    await writeFile(path.join(folder, 'in.txt'), 'hello');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (command: string, { signal = new AbortController().signal, hasProc = true } = {}) =>
    runSandboxed({ command, folder, hasProc: hasProc && canProc, cpuSeconds: 5, signal });

  it('work in the workspace, and their exit and both outputs are told', async () => {
    const outcome = await run("cat in.txt; echo ' out'; echo err >&2; printf made > out.txt; pwd; exit 3");
    expect(outcome.exitCode).toBe(3);
    expect(outcome.output).toContain('hello out\n');
    expect(outcome.output).toContain('err\n');
    expect(outcome.output).toContain('/workspace\n');
    expect(await readFile(path.join(folder, 'out.txt'), 'utf8')).toBe('made');
  });

  it.each([
    ['the password file', 'cat /etc/passwd /etc/shadow'],
    ['the folder beside', `ls ${path.dirname(process.cwd())} ${tmpdir()}/berth-command-*`],
    ['the system', 'touch /usr/x /bin/x'],
    ['the root', 'touch /x'],
    ['the network', 'exec 3<>/dev/tcp/127.0.0.1/22 || getent hosts example.com'],
    ["the agent's environment", 'env | grep -E "HOME=/root|NODE|npm|BERTH"'],
    ['mounts', 'mount -t tmpfs x /workspace'],
    ['another user', 'setpriv --reuid 0 --clear-groups id -u'],
  ])('do not reach %s', async (_what, command) => {
    expect((await run(command)).exitCode).not.toBe(0);
  });

  it('see no process of others where there is no /proc of their own', async () => {
    const outcome = await run('ls -A /proc; mount | wc -l; cat in.txt', { hasProc: false });
    expect(outcome.output).toContain('hello');
    expect(outcome.output).not.toMatch(/self|cpuinfo/);
  });

  it.runIf(canProc)('see no process but their own', async () => {
    const { output } = await run("ls /proc | grep -c '^[0-9]'");
    expect(Number(output)).toBeLessThan(8);
  });

  it('take what they are told as one line, whatever is in it', async () => {
    const { output } = await run('echo \'$1 "; $(id)\' "a\'b"');
    expect(output).toBe('$1 "; $(id) a\'b\n');
  });

  it('end with all they started when they are stopped', async () => {
    const controller = new AbortController();
    const mark = `31${Date.now() % 100_000}`;
    const running = run(`setsid sleep ${mark} & sleep ${mark}`, controller);
    running.catch(() => {});
    await waitUntil('both sleep', () => countProcesses(`sleep ${mark}`) >= 2);
    controller.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    await waitUntil('nothing sleeps', () => countProcesses(`sleep ${mark}`) === 0);
  });

  it('may say any amount: the beginning and the end are kept', async () => {
    const { output } = await run('echo begin; yes | head -c 5000000; echo end');
    expect(output.length).toBeLessThan(40_000);
    expect(output).toMatch(/^begin\n[\s\S]*bytes left out[\s\S]*\nend\n$/);
  });

  it('are bounded in the files they write and the processor they use', async () => {
    expect((await run('ulimit -f; ulimit -t; ulimit -c')).output).toBe('1048576\n5\n0\n');
  });

  it('are offered to a model as a tool that asks', async () => {
    await using fixture = await openToolAgent([commandTool({ timeoutSeconds: 30 })]);
    const outcome = await fixture.use('run_command', { command: 'echo hi > made.txt; ls' });
    expect(outcome).toMatchObject({ text: 'Exit code 0\nmade.txt\n', isError: false });
    expect(await (await fixture.call('alice', 'GET', '/files/made.txt')).text()).toBe('hi\n');
    expect((await fixture.use('run_command', { command: 'ls' }, 'bob')).text).toBe('Exit code 0\n');
  });
});

/** Processes of the machine whose command line is this one. */
function countProcesses(commandLine: string): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === commandLine;
    } catch {
      return false;
    }
  }).length;
}
