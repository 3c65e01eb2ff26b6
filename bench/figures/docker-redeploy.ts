import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { REPO, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { readProject } from '../../tests/harness/project-files.ts';
import { dockerSettings, TEST_ENGINE } from '../../tests/harness/runtime.ts';
import { packProject } from '../../tests/harness/tar.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { spreadOf } from '../statistics.ts';

const ROUNDS = 20;
const GIVE_UP_MS = 30_000;

/**
 * What is redeployed, with the Dockerfile that a person would write for it: dependencies before the source, and trust in what the
 * machine trusts, as generated ones have it.
 */
const PROJECTS = [
  { name: 'hello-node', install: [] },
  {
    name: 'websocket-chat',
    install: [
      'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt',
      'COPY package.json package-lock.json ./',
      'RUN npm ci',
    ],
  },
] as const;

/**
 * P7 on containers: from the first byte of an upload to DONE, of a service that is running, beside `docker build` of the same
 * project and `docker run` until the first 200. The two take turns; neither has anything but its own earlier builds in the cache.
 */
export async function measureDockerRedeploy({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  if (TEST_ENGINE === undefined) {
    if (process.env['CI'] === 'true') throw new Error('CI must have an engine: tools/test-engine');
    return { figures: [], notes: ['Not measured: needs a Docker engine of its own (docs/guides/docker.md, Tests).'] };
  }
  await using berth = await startBerth({ env: dockerSettings() });
  const figures: Figure[] = [];
  for (const { name, install } of PROJECTS) {
    const files = readProject(path.join(REPO, 'examples', name));
    const Dockerfile = [
      'FROM berth-base/node',
      'WORKDIR /app',
      ...install,
      'COPY . .',
      'CMD ["node", "server.js"]',
    ].join('\n');
    const deployMs: number[] = [];
    const handMs: number[] = [];
    // The first of each fills the caches.
    for (let round = -1; round < (isTenth ? 2 : ROUNDS); round++) {
      // A change in one file, as a person's would be.
      const changed = { ...files, 'version.txt': `${crypto.randomUUID()}\n` };
      const archive = packProject(changed);
      const startedMs = performance.now();
      await deployed(berth, name, { archive });
      const deployedMs = performance.now() - startedMs;
      const byHandMs = await byHand(packProject({ ...changed, Dockerfile }));
      if (round < 0) continue;
      deployMs.push(deployedMs);
      handMs.push(byHandMs);
    }
    const deploy = spreadOf(deployMs);
    const hand = spreadOf(handMs);
    say(`${name}: ${JSON.stringify({ deploy, hand })}`);
    figures.push(
      figure(`${name}: upload to DONE, median`, deploy.medianMs, 'ms'),
      figure(`${name}: upload to DONE, p95`, deploy.p95Ms, 'ms', { id: 'P7' }),
      figure(`${name}: docker build, docker run, first 200, median`, hand.medianMs, 'ms'),
      figure(`${name}: upload to DONE / by hand, medians`, deploy.medianMs / hand.medianMs, 'ratio'),
    );
  }
  return {
    figures,
    notes: [
      'Both with the classic builder of the same engine. By hand there is no swap: the old container is not asked, and not replaced.',
      'A generated image has one more stage than the Dockerfile by hand, a user of its own, and bounds.',
    ],
  };
}

/** Builds, runs and asks; milliseconds until the first 200. */
async function byHand(archive: Buffer): Promise<number> {
  let container = '';
  try {
    const startedMs = performance.now();
    const image = await docker(['build', '--quiet', '-'], archive);
    container = await docker(['run', '--detach', '--env', 'PORT=8080', image]);
    const host = await docker(['inspect', '--format', '{{.NetworkSettings.IPAddress}}', container]);
    while (!(await answers(`http://${host}:8080/`))) {
      if (performance.now() - startedMs > GIVE_UP_MS) throw new Error('the container does not answer');
      await sleep(2);
    }
    return performance.now() - startedMs;
  } finally {
    if (container !== '') await docker(['rm', '--force', container]);
  }
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** What the docker command prints. */
async function docker(words: readonly string[], input?: Buffer): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: tmpdir(), DOCKER_HOST: TEST_ENGINE, DOCKER_BUILDKIT: '0' };
  const child = spawn('docker', words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`docker ${words.join(' ')}: ${errors}`);
  return output.trim();
}
