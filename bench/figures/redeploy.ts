import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { REPO, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { readProject } from '../../tests/harness/project-files.ts';
import { packProject } from '../../tests/harness/tar.ts';
import { startBare } from '../bare-service.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { spreadOf } from '../statistics.ts';

const ROUNDS = 20;

/** What is redeployed: without dependencies, and with a locked one that is in npm's cache. */
const PROJECTS = [
  { name: 'hello-node', install: undefined },
  { name: 'websocket-chat', install: ['npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund'] },
] as const;

/**
 * P7: from the first byte of an upload to DONE, of a service that is running, beside the same by hand: unpack, install
 * from npm's cache, start, first 200. The two take turns.
 */
export async function measureRedeploy({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using berth = await startBerth();
  const figures: Figure[] = [];
  for (const { name, install } of PROJECTS) {
    const files = readProject(path.join(REPO, 'examples', name));
    await deployed(berth, name, { files });
    await byHand(packProject(files), install);
    const deployMs: number[] = [];
    const handMs: number[] = [];
    for (let round = 0; round < (isTenth ? 2 : ROUNDS); round++) {
      // A change in one file, as a person's would be: nothing but the dependencies may come from a cache.
      const archive = packProject({ ...files, 'version.txt': String(round) });
      const startedMs = performance.now();
      await deployed(berth, name, { archive });
      deployMs.push(performance.now() - startedMs);
      handMs.push(await byHand(archive, install));
    }
    const deploy = spreadOf(deployMs);
    const hand = spreadOf(handMs);
    say(`${name}: ${JSON.stringify({ deploy, hand })}`);
    figures.push(
      figure(`${name}: upload to DONE, median`, deploy.medianMs, 'ms'),
      figure(`${name}: upload to DONE, p95`, deploy.p95Ms, 'ms', { id: 'P7', target: 1_500 }),
      figure(`${name}: the same by hand, median`, hand.medianMs, 'ms'),
      figure(`${name}: upload to DONE / by hand, medians`, deploy.medianMs / hand.medianMs, 'ratio'),
    );
  }
  return {
    figures,
    notes: [
      'The old revision serves while the new one starts; its drain comes after DONE and is not in the figure.',
      'On containers, beside `docker build` and `docker run`: `docker-redeploy`.',
    ],
  };
}

/** Unpacks, installs, starts and asks; milliseconds until the first 200. */
async function byHand(archive: Buffer, install: readonly string[] | undefined): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-by-hand-'));
  const file = path.join(folder, '..', `${path.basename(folder)}.tar.gz`);
  writeFileSync(file, archive);
  try {
    const startedMs = performance.now();
    run('tar', ['-xzf', file, '-C', folder], folder);
    if (install) run(install[0] as string, install.slice(1), folder);
    const preparedMs = performance.now() - startedMs;
    return preparedMs + (await startBare(folder, [process.execPath, 'server.js'])).firstAnswerMs;
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(file);
  }
}

function run(program: string, words: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program, words, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`);
}
