import type { Clock } from '@berth/kit';
import { removeTree } from '../identity/remove-tree.ts';
import type { Trial } from '../toolchain/find-program.ts';
import type { Confinement } from './confinement.ts';

/** The owner of trial runs. No deployment has an empty name. */
const OWNER = { account: '', deployment: '' } as const;
const LIMITS = { memoryBytes: 2 ** 30, cpuMillis: 1_000, processes: 512, isLowPriority: false } as const;
const TIMEOUT_MS = 10_000;

/** Characters of output to keep: a version is on the first line. */
const OUTPUT_CHARACTERS = 4_096;

/** Runs a program as a tenant's program would run, for at most ten seconds, and returns its exit code and the start of its output. */
export async function tryProgram(
  confinement: Pick<Confinement, 'identityOf' | 'createPrivateFolder' | 'prepare' | 'programPath'>,
  argv: readonly string[],
  clock: Clock,
): Promise<Trial> {
  const identity = await confinement.identityOf(OWNER);
  const name = `try-${crypto.randomUUID()}`;
  const folder = await confinement.createPrivateFolder(name, identity);
  try {
    const prepared = confinement.prepare({
      name,
      identity,
      argv,
      workingFolder: `${folder}/home`,
      env: { PATH: confinement.programPath, HOME: `${folder}/home`, TMPDIR: `${folder}/tmp` },
      privateFolder: folder,
      binds: [],
      verified: [],
      limits: LIMITS,
      isSharing: false,
    });
    let output = '';
    const launched = prepared.start((_stream, chunk) => {
      if (output.length < OUTPUT_CHARACTERS) output += Buffer.from(chunk).toString('latin1');
    });
    const timer = clock.setTimer(TIMEOUT_MS, () => launched.kill());
    const { exitCode } = await launched.ended;
    timer.cancel();
    return { exitCode, output: output.slice(0, OUTPUT_CHARACTERS) };
  } finally {
    await removeTree(folder);
  }
}
