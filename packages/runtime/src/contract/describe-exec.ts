import { createIdSource, type InstanceId } from '@berth/kit';
import { expect } from 'vitest';
import type { ExecSpec } from '../exec.ts';
import { eventually } from './eventually.ts';
import { findMarked } from './find-marked.ts';
import type { RuntimeContract } from './runtime-contract.ts';
import { OWNER, type RuntimeHarness, script, server, start } from './runtime-harness.ts';

/** A program that runs until it is stopped. */
const ENDLESS = script('setInterval(() => {}, 1e3)');
const TERMINAL = { columns: 80, rows: 24, type: 'xterm-256color' };

/** Runs a command inside an instance, and collects its output. */
async function exec({ runtime }: RuntimeHarness, instanceId: InstanceId, spec: Omit<ExecSpec, 'output'>) {
  const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const output: ExecSpec['output'] = (stream, chunk) => void chunks[stream].push(chunk);
  const command = await runtime.exec(OWNER, instanceId, { ...spec, output });
  const textOf = (stream: 'stdout' | 'stderr') => Buffer.concat(chunks[stream]).toString();
  return {
    ...command,
    type: (text: string) => command.write(new TextEncoder().encode(text)),
    get stdout() {
      return textOf('stdout');
    },
    get stderr() {
      return textOf('stderr');
    },
  };
}

/** What tells the rights of a process. */
const RIGHTS = `
  const field = (file, name) => new RegExp('^' + name + '.*$', 'm').exec(fs.readFileSync(file, 'utf8'))?.[0];
  const limits = fs.readFileSync('/proc/self/limits', 'utf8').split('\\n').filter((line) => /open files|core file/.test(line));
  const status = ['Uid', 'Gid', 'Groups', 'CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp:'];
  const spaces = ['net', 'user'].map((name) => fs.readlinkSync('/proc/self/ns/' + name));
  const rights = () => JSON.stringify({
    status: status.map((name) => field('/proc/self/status', name)), limits, root: fs.readdirSync('/').sort(), cwd: process.cwd(),
    mounts: fs.readFileSync('/proc/self/mountinfo', 'utf8').split('\\n').map((line) => line.split(' ').slice(3, 6).join(' ')).sort(),
    net: spaces[0], umask: process.umask().toString(8), home: process.env.HOME, color: process.env.COLOR,
  });`;

/** Defines the contract tests of commands inside a running instance. */
export function describeExec({ contractTest, open, run }: RuntimeContract): void {
  contractTest(
    'runs a command inside an instance: its arguments as they are, its streams apart, its exit code',
    async () => {
      const { harness, instance } = await run(ENDLESS, { env: { COLOR: 'blue' } });
      const code = `process.stdout.write(JSON.stringify([process.env.COLOR, ...process.argv.slice(1)])); process.stderr.write('aside'); process.exitCode = 7`;
      const hostile = ['$(id)', '; touch /tmp/x', '`id`', 'a b', '*', '', 'ü€😀'];
      const command = await exec(harness, instance.instanceId, { command: ['node', '-e', code, '--', ...hostile] });
      expect(await command.exited).toEqual({ exitCode: 7, signal: null });
      expect(JSON.parse(command.stdout)).toEqual(['blue', ...hostile]);
      expect(command.stderr).toBe('aside');
    },
  );

  contractTest('a command has the files, the network and the rights of the program, and no more', async () => {
    const { harness, instance, get } = await run(
      server({ '/': 'return rights()', '/file': `return fs.writeFileSync('made.txt', 'by the program')` }, RIGHTS),
      { env: { COLOR: 'blue' } },
    );
    const own = (await get('/')) as string;
    await get('/file');
    const code = `const fs = require('node:fs'); ${RIGHTS} console.log(rights()); console.error(fs.readFileSync('made.txt', 'utf8'))`;
    const command = await exec(harness, instance.instanceId, { command: ['node', '-e', code] });
    expect(await command.exited).toEqual({ exitCode: 0, signal: null });
    expect(JSON.parse(command.stdout)).toEqual(JSON.parse(own));
    expect(command.stderr).toBe('by the program\n');
  });

  contractTest('a command reads its input to its end, and slows down with its reader', async () => {
    const { harness, instance } = await run(ENDLESS);
    let bytes = 0;
    let pending = 0;
    let mostPending = 0;
    const command = await harness.runtime.exec(OWNER, instance.instanceId, {
      command: ['cat'],
      async output(_stream, chunk) {
        mostPending = Math.max(mostPending, ++pending);
        await new Promise((resolve) => setTimeout(resolve, 1));
        bytes += chunk.length;
        pending--;
      },
    });
    const block = new Uint8Array(2 ** 16);
    for (let i = 0; i < 32; i++) await command.write(block);
    command.endInput();
    expect(await command.exited).toEqual({ exitCode: 0, signal: null });
    expect(bytes).toBe(32 * block.length);
    expect(mostPending).toBe(1);
  });

  contractTest('a terminal has a size, job control, Ctrl-C and UTF-8', async () => {
    const { harness, instance } = await run(ENDLESS);
    const shell = await exec(harness, instance.instanceId, { command: ['sh', '-i'], terminal: TERMINAL });
    await shell.type('stty size; echo $TERM; echo ü€😀\n');
    await eventually('the size', async () => /24 80\r\nxterm-256color\r\nü€😀\r\n/.test(shell.stdout));
    shell.resize({ columns: 132, rows: 50 });
    await shell.type('stty size; sleep 600\n');
    await eventually('the new size', async () => /50 132\r\n/.test(shell.stdout));
    await shell.type('\x03');
    await shell.type('echo go""ne; exit 5\n');
    expect(await shell.exited).toEqual({ exitCode: 5, signal: null });
    expect(shell.stdout).toMatch(/gone\r\n/);
  });

  contractTest('without a command it is a shell', async () => {
    const { harness, instance } = await run(ENDLESS);
    const shell = await exec(harness, instance.instanceId, { command: [] });
    await shell.type('echo $((6 * 7)); exit 3\n');
    expect(await shell.exited).toEqual({ exitCode: 3, signal: null });
    expect(shell.stdout).toBe('42\n');
  });

  contractTest('a signal reaches the command, and a kill leaves none of its processes', async () => {
    const { harness, instance } = await run(ENDLESS);
    const trap = `process.on('SIGINT', () => { console.log('interrupted'); process.exit(9); }); console.log('ready'); setInterval(() => {}, 1e3)`;
    const polite = await exec(harness, instance.instanceId, { command: ['node', '-e', trap] });
    await eventually('it waits', async () => polite.stdout === 'ready\n');
    polite.signal('SIGINT');
    expect(await polite.exited).toEqual({ exitCode: 9, signal: null });
    expect(polite.stdout).toBe('ready\ninterrupted\n');

    const mark = `mark-${crypto.randomUUID()}`;
    const marker = `EXEC_MARK=${mark}`;
    // A process that left the session and its parent.
    const spawn = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)', '${mark}'], { detached: true, stdio: 'ignore' }).unref(); console.log('ready')`;
    const rude = await exec(harness, instance.instanceId, {
      command: ['env', marker, 'sh', '-c', `node -e "${spawn.replaceAll('"', '\\"')}"; exec sleep 600`],
    });
    await eventually('it has started', async () => rude.stdout === 'ready\n');
    await rude.kill();
    // On this machine no process of it is left, and inside the instance neither.
    await eventually('its processes are gone', async () => findMarked(marker).length === 0);
    const look = `console.log(require('node:fs').readdirSync('/proc').filter((pid) => { try { return require('node:fs').readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes(process.argv[1].replace('_', '-')); } catch { return false; } }).length)`;
    const after = await exec(harness, instance.instanceId, { command: ['node', '-e', look, mark.replace('-', '_')] });
    await after.exited;
    expect(after.stdout).toBe('0\n');
  });

  contractTest('a command ends with its instance', async () => {
    const { harness, instance } = await run(ENDLESS);
    const command = await exec(harness, instance.instanceId, { command: ['sleep', '600'] });
    await instance.stop({ graceMs: 0 });
    expect((await command.exited).exitCode).not.toBe(0);
  });

  contractTest('a command that is not there is start_failed, or exits as a shell says it', async () => {
    const { harness, instance } = await run(ENDLESS);
    const ended = exec(harness, instance.instanceId, { command: ['no-such-program'] }).then(({ exited }) => exited);
    const outcome = await ended.then(
      ({ exitCode }) => exitCode,
      ({ code }) => code,
    );
    expect(['start_failed', 126, 127]).toContain(outcome);
  });

  contractTest('an instance of another owner is not found', async () => {
    const harness = await open();
    const { instance } = await start(harness, ENDLESS);
    const spec = { command: ['true'], output: () => {} };
    for (const owner of [
      { ...OWNER, account: 'other' },
      { ...OWNER, deployment: 'other' },
    ]) {
      const outcome = harness.runtime.exec(owner, instance.instanceId, spec);
      await expect(outcome).rejects.toMatchObject({ code: 'not_found' });
    }
    const unknown = harness.runtime.exec(OWNER, createIdSource().next<'instance'>('i'), spec);
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  });
}
