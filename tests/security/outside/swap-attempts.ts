import { deploy, deployed } from '../../harness/deploy.ts';
import { uniqueName } from '../../harness/names.ts';
import { nodeProject } from '../../harness/project-files.ts';
import { request } from '../../harness/request.ts';
import type { Stage } from '../stage/open-stage.ts';
import type { OutsideAttempt } from './attempt.ts';
import { findPuppet, OWN_VOLUME } from './puppet.ts';

/** How long folders are swapped, and instances restarted meanwhile. */
const RACE_MS = 6_000;

/** Prints all that it has at its mount path. */
const READER = `
  import fs from 'node:fs';
  import { createServer } from 'node:http';
  const [[mount, { path = mount }]] = Object.entries(JSON.parse(process.env.BERTH_VOLUMES));
  const read = (file) => { try { return fs.readFileSync(file, 'latin1').slice(0, 4096) } catch (error) { return error.code } };
  createServer((request, response) => {
    if (request.url === '/exit') return response.end('', () => process.exit());
    response.end(fs.readdirSync(path).map((name) => name + ': ' + read(path + '/' + name)).join('\\n'));
  }).listen(process.env.PORT, '0.0.0.0');`;

/** Exchanges a folder and a symlink as fast as it can (renameat2(2), RENAME_EXCHANGE). */
const SWAP = `my ($call, $one, $other, $forMs) = @ARGV; use Time::HiRes 'time', 'sleep'; my $end = time + $forMs / 1000;
  while (time < $end) { syscall($call + 0, -100, $one, -100, $other, 2); sleep 0.0003 if rand() < 0.3 }`;

interface Swap {
  readonly id: string;
  readonly tries: string;
  readonly subPath: string;
  /** The part of `subPath` that is swapped, and the folder of the host that the symlink leads to. */
  readonly swapped: string;
  readonly target: (stage: Stage) => string;
}

const SWAPS: readonly Swap[] = [
  {
    id: 'swaps.last-folder',
    tries: "swaps the folder of a sub_path for a link to the platform's data while instances start",
    subPath: 'last',
    swapped: 'last',
    target: ({ berth }) => berth.dataFolder,
  },
  {
    id: 'swaps.folder-between',
    tries: "swaps a folder on the way to a sub_path for a link to the platform's data while instances start",
    subPath: 'between/runtime',
    swapped: 'between',
    target: ({ berth }) => berth.dataFolder,
  },
];

export const SWAP_ATTEMPTS: readonly OutsideAttempt[] = [
  ...SWAPS.map(
    (swap): OutsideAttempt => ({
      ...swap,
      act: async (stage) => (await race(stage, swap)).evidence,
      control: async (stage) => {
        const { served } = await race(stage, { ...swap, subPath: `calm-${swap.subPath}`, swapped: 'other' }, 2_000);
        return served > 0 ? `the folder itself was served ${served} times` : undefined;
      },
    }),
  ),
  ...SWAPS.map(
    (swap): OutsideAttempt => ({
      id: swap.id.replace('swaps', 'links'),
      tries: `${swap.tries.replace('swaps', 'has').replace(' while instances start', '')} before the deploy`,
      async act(stage) {
        const puppet = await findPuppet(stage);
        const name = `fixed-${swap.swapped}`;
        await puppet.run(`fs.symlinkSync(${JSON.stringify(swap.target(stage))}, volume + '/${name}')`);
        return (await read(stage, swap.subPath.replace(swap.swapped, name))).evidence;
      },
      async control(stage) {
        const puppet = await findPuppet(stage);
        await puppet.run(
          `fs.mkdirSync(volume + '/plain-folder', { recursive: true }); fs.writeFileSync(volume + '/plain-folder/real', 'x')`,
        );
        return (await read(stage, 'plain-folder')).text.includes('real') ? 'a folder is mounted' : undefined;
      },
    }),
  ),
];

/** Deploys a service on a sub_path and reads what it sees. */
async function read(stage: Stage, subPath: string): Promise<{ readonly text: string; readonly evidence?: string }> {
  const name = uniqueName('reader');
  const { last } = await deploy(stage.berth, name, deployOf(stage, subPath));
  if (last.status !== 'DONE') return { text: last.message };
  const { text } = await request(stage.berth, name);
  const secret = stage.secrets.find(text);
  return { text, ...(secret && { evidence: `the service saw ${secret}` }) };
}

function deployOf({ attacker }: Stage, subPath: string) {
  const volumes = JSON.stringify({ '/mnt/part': { name: OWN_VOLUME, sub_path: subPath } });
  return { files: nodeProject(READER), key: attacker.deployKey, fields: { volumes } };
}

async function race(
  stage: Stage,
  { subPath, swapped, target }: Pick<Swap, 'subPath' | 'swapped' | 'target'>,
  forMs = RACE_MS,
): Promise<{ readonly served: number; readonly evidence?: string }> {
  const { berth, secrets } = stage;
  const puppet = await findPuppet(stage);
  const name = uniqueName('racer');
  await puppet.run(
    `fs.mkdirSync(volume + '/${subPath}', { recursive: true }); fs.writeFileSync(volume + '/${subPath}/real', '')`,
  );
  await deployed(berth, name, deployOf(stage, subPath));
  const call = process.arch === 'arm64' ? 276 : 316;
  await puppet.run(`
    fs.mkdirSync(volume + '/${swapped}', { recursive: true });
    fs.rmSync(volume + '/swap', { force: true });
    fs.symlinkSync(${JSON.stringify(target(stage))}, volume + '/swap');
    const words = ['-e', ${JSON.stringify(SWAP)}, '${call}', volume + '/${swapped}', volume + '/swap', '${forMs}'];
    spawn('perl', words, { stdio: 'ignore', detached: true }).unref();`);
  let served = 0;
  for (const end = Date.now() + forMs; Date.now() < end; ) {
    const get = (path: string) =>
      request(berth, name, path, { signal: AbortSignal.timeout(4_000) }).then(
        ({ text }) => text,
        () => '',
      );
    const text = await get('/');
    const secret = secrets.find(text);
    if (secret) return { served, evidence: `an instance saw ${secret}` };
    if (text.includes('real')) served++;
    await get('/exit');
  }
  return { served };
}
