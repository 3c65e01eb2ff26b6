import { mkdir, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import type { CommandOutcome, Owner } from '@berth/runtime';
import { start } from '@berth/runtime/contract';
import { afterAll, describe, expect, test } from 'vitest';
import { createMachine } from '../testing/machine.ts';
import { createProcessHarness } from '../testing/process-harness.ts';
import { findFilter } from './filter.ts';
import { attempts, WORKING } from './testing/programs.ts';

const OWNER: Owner = { account: 'acme', deployment: 'hello' };
const LIMITS = {
  ...{ timeoutMs: 120_000, memoryBytes: 2 ** 30, cpuMillis: 2_000, processes: 200 },
  ...{ outputBytes: 2 ** 20, diskBytes: 2 ** 30 },
};

const machine = await createMachine();
const harness = await createProcessHarness(machine);
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await machine[Symbol.asyncDispose]();
});
const capability = machine.confinement.capabilities().find(({ id }) => id === 'syscall-filter');
const isFiltered = capability?.status === 'enforced';
const reason = isFiltered ? '' : ` (skipped: ${capability?.detail})`;
const programs = new Map(
  await Promise.all(
    ['python3', 'go', 'npm'].map(async (name) => [name, await harness.sandbox.findProgram(name)] as const),
  ),
);

/** Runs a command as a build does. */
async function build(files: Readonly<Record<string, string>>, argv: readonly string[]) {
  const folder = await harness.makeFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await harness.sandbox.giveToOwner(folder, OWNER);
  const lines: string[] = [];
  const outcome: CommandOutcome = await harness.sandbox.run({
    ...{ owner: OWNER, argv, workingFolder: folder, writableFolders: [folder], readableFolders: [], limits: LIMITS },
    env: { HOME: folder, GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOTOOLCHAIN: 'local' },
    onLine: (line) => void lines.push(line),
  });
  return { outcome, lines };
}

/** Runs a program as a service, to its end. */
async function serve(files: Readonly<Record<string, string>>, command: readonly string[]) {
  const { instance, output } = await start(harness, { files, command }, { owner: OWNER, memoryBytes: 2 ** 30 });
  const { exitCode } = await instance.exited;
  return { outcome: { kind: 'exited', exitCode }, lines: `${output.stdout}${output.stderr}`.trimEnd().split('\n') };
}

const KINDS = [
  ['a service', serve],
  ['a build', build],
] as const;

describe.skipIf(!isFiltered)(`the filter of system calls${reason}`, () => {
  // Fails when spawn-sandboxed.ts doesn't pass the filter on.
  test.each(KINDS)('is on in %s', async (_kind, run) => {
    const source = `
      const fs = require('node:fs');
      const links = fs.readdirSync('/proc/self/fd').flatMap((fd) => {
        try { return fs.readlinkSync('/proc/self/fd/' + fd); } catch { return []; }
      });
      console.log(fs.readFileSync('/proc/self/status', 'latin1').match(/^Seccomp:.*$/m)[0]);
      console.log(links.filter((link) => link.endsWith('.bpf')).length);`;
    // The filter's file is not left open.
    expect((await run({ 'main.js': source }, ['node', 'main.js'])).lines).toEqual(['Seccomp:\t2', '0']);
  });

  const python = programs.get('python3') === undefined;

  // Fails when the filter is not passed on, or its entry in tools/seccomp/deltas.ts is taken out.
  test.skipIf(python).each(KINDS)('refuses what %s has no use for (needs Python)', async (_kind, run) => {
    const table = attempts(process.arch === 'arm64' ? 'arm64' : 'x64');
    const { lines } = await run(table.files, ['python3', 'main.py']);
    const seen = lines.map((line) => line.split(' ')).map(([name, errno]) => [name, nameOf(Number(errno))]);
    expect(seen).toEqual(table.expected);
  });

  // Fails when the first instructions of the filter, which compare the architecture, are taken out.
  test.skipIf(python || process.arch !== 'x64')(
    'ends a program that makes 32-bit calls (needs Python, x64)',
    async () => {
      const source = `
import ctypes, mmap, os, signal
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex('b814000000cd80c3'))  # mov eax, 20 (getpid); int 0x80; ret
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
child = os.fork()
if child == 0:
    call()
    os._exit(0)
print(signal.Signals(os.WTERMSIG(os.waitpid(child, 0)[1])).name)`;
      const { lines } = await build({ 'main.py': source }, ['python3', 'main.py']);
      // SIGSEGV: of a kernel that has no 32-bit calls.
      expect(lines).toEqual([expect.stringMatching(/^SIG(SYS|SEGV)$/)]);
    },
  );

  for (const { name, needs, files, command, answer } of WORKING) {
    const isMissing = needs !== undefined && programs.get(needs) === undefined;
    test.skipIf(isMissing)(
      `leaves alone: ${name}${needs ? ` (needs ${needs})` : ''}`,
      async () => {
        const { outcome, lines } = await build(files, command);
        expect([lines.at(-1), outcome]).toEqual([answer, { kind: 'exited', exitCode: 0 }]);
      },
      120_000,
    );
  }
});

// Fails when the probe tries the sandbox with the filter only.
test.runIf(machine.confinement.isSandboxed)(
  'a filter that this machine refuses is done without, and said',
  async () => {
    const file = join(machine.dataFolder, 'broken.bpf');
    await writeFile(file, 'not a filter');
    await using other = await createMachine({ overrides: { seccompFilter: file } });
    expect(other.confinement.isSandboxed).toBe(true);
    const status = other.confinement.capabilities().find(({ id }) => id === 'syscall-filter')?.status;
    expect(status).toBe('missing');
  },
);

test.runIf(['x64', 'arm64'].includes(process.arch))('there is one for this architecture', () => {
  expect(findFilter()).toMatch(`/${process.arch}.bpf`);
});

function nameOf(errno: number): string {
  return Object.entries(constants.errno).find(([, value]) => value === errno)?.[0] ?? String(errno);
}
