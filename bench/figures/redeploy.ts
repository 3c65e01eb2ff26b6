import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Berth, REPO, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { readProject } from '../../tests/harness/project-files.ts';
import { dockerSettings, TEST_ENGINE } from '../../tests/harness/runtime.ts';
import { packProject } from '../../tests/harness/tar.ts';
import { startBare } from '../bare-service.ts';
import { docker } from '../docker-command.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { spreadOf } from '../statistics.ts';
import { untilAnswer } from '../until-answer.ts';
import { NO_ENGINE } from '../without-engine.ts';

const ROUNDS = 20;

/** What is redeployed, and how its dependencies are installed by hand: without any, and with a locked one that is in npm's cache. */
const PROJECTS = {
  'hello-node': { install: [], lines: [] },
  'websocket-chat': {
    install: ['npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund'],
    // As a person would write it: dependencies before the source, and trust in what the machine trusts, as generated ones have it.
    lines: [
      'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt',
      'COPY package.json package-lock.json ./',
      'RUN npm ci',
    ],
  },
} as const;

type Project = keyof typeof PROJECTS;

/** The same by hand: how it is called, and what makes it from the files of a project; resolves with milliseconds until the first 200. */
interface Peer {
  readonly title: string;
  readonly target?: number;
  run(project: Project, files: Readonly<Record<string, string>>): Promise<number>;
}

/**
 * P7: from the first byte of an upload to DONE, of a service that is running, beside the same by hand: unpack, install
 * from npm's cache, start, first 200. The two take turns.
 */
export async function measureRedeploy(options: BenchOptions): Promise<BenchResult> {
  await using berth = await startBerth();
  const figures = await takeTurns(berth, options, { title: 'the same by hand', target: 1_500, run: byHand });
  return {
    figures,
    notes: [
      'The old revision serves while the new one starts; its drain comes after DONE and is not in the figure.',
      'On containers, beside `docker build` and `docker run`: `docker-redeploy`.',
    ],
  };
}

/**
 * P7 on containers: the same beside `docker build` of the project and `docker run` until the first 200. Neither has anything but
 * its own earlier builds in the cache.
 */
export async function measureDockerRedeploy(options: BenchOptions): Promise<BenchResult> {
  if (TEST_ENGINE === undefined) return NO_ENGINE;
  await using berth = await startBerth({ env: dockerSettings() });
  const figures = await takeTurns(berth, options, { title: 'docker build, docker run, first 200', run: byDocker });
  return {
    figures,
    notes: [
      'Both with the classic builder of the same engine. By hand there is no swap: the old container is not asked, and not replaced.',
      'A generated image has one more stage than the Dockerfile by hand, a user of its own, and bounds.',
    ],
  };
}

async function takeTurns(
  berth: Berth,
  { isTenth, say }: BenchOptions,
  { title, target, run }: Peer,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const name of Object.keys(PROJECTS) as Project[]) {
    const files = readProject(path.join(REPO, 'examples', name));
    const deployMs: number[] = [];
    const handMs: number[] = [];
    // The first of each fills the caches.
    for (let round = -1; round < (isTenth ? 2 : ROUNDS); round++) {
      // A change in one file, as a person's would be: nothing but the dependencies may come from a cache.
      const changed = { ...files, 'version.txt': `${crypto.randomUUID()}\n` };
      const archive = packProject(changed);
      const startedMs = performance.now();
      await deployed(berth, name, { archive });
      const deployedMs = performance.now() - startedMs;
      const byHandMs = await run(name, changed);
      if (round < 0) continue;
      deployMs.push(deployedMs);
      handMs.push(byHandMs);
    }
    const deploy = spreadOf(deployMs);
    const hand = spreadOf(handMs);
    say(`${name}: ${JSON.stringify({ deploy, hand })}`);
    figures.push(
      figure(`${name}: upload to DONE, median`, deploy.medianMs, 'ms'),
      figure(`${name}: upload to DONE, p95`, deploy.p95Ms, 'ms', { id: 'P7', ...(target !== undefined && { target }) }),
      figure(`${name}: ${title}, median`, hand.medianMs, 'ms'),
      figure(`${name}: upload to DONE / by hand, medians`, deploy.medianMs / hand.medianMs, 'ratio'),
    );
  }
  return figures;
}

/** Unpacks, installs, starts and asks. */
async function byHand(project: Project, files: Readonly<Record<string, string>>): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-by-hand-'));
  const file = `${folder}.tar.gz`;
  writeFileSync(file, packProject(files));
  const run = (program: string, words: readonly string[]) => {
    const { status, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`);
  };
  try {
    const startedMs = performance.now();
    run('tar', ['-xzf', file, '-C', folder]);
    const [program, ...words] = PROJECTS[project].install;
    if (program !== undefined) run(program, words);
    const preparedMs = performance.now() - startedMs;
    return preparedMs + (await startBare(folder, [process.execPath, 'server.js'])).firstAnswerMs;
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(file);
  }
}

/** Builds, runs and asks. */
async function byDocker(project: Project, files: Readonly<Record<string, string>>): Promise<number> {
  const Dockerfile = [
    'FROM berth-base/node',
    'WORKDIR /app',
    ...PROJECTS[project].lines,
    'COPY . .',
    'CMD ["node", "server.js"]',
  ].join('\n');
  const archive = packProject({ ...files, Dockerfile });
  const call = (...words: string[]) => docker(TEST_ENGINE as string, words);
  const startedMs = performance.now();
  const image = await docker(TEST_ENGINE as string, ['build', '--quiet', '-'], archive);
  const container = await call('run', '--detach', '--env', 'PORT=8080', image);
  try {
    await untilAnswer(8080, await call('inspect', '--format', '{{.NetworkSettings.IPAddress}}', container));
    return performance.now() - startedMs;
  } finally {
    await call('rm', '--force', container);
  }
}
