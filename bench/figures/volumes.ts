import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, globSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { ObjectsPage } from '@berth/contract';
import { type Berth, startBerth } from '../../tests/harness/berth.ts';
import { type VolumeClient, volumeClient } from '../../tests/harness/volumes.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { type NginxFiles, startNginxFiles } from '../peers/nginx-files.ts';
import { cpuSeconds, processTree, residentMib } from '../process-tree.ts';
import { putObjects } from '../put-objects.ts';
import { quantile, roundTo } from '../statistics.ts';

const MIB = 2 ** 20;
const LARGE_MIB = 1_024;
const ROUNDS = 5;
const SIGNED_OBJECTS = 5_000;
const SMALL_BYTES = 1_024;
const CLIENTS = 16;
const LISTED_FILES = 1_000_000;
const PAGE = 1_000;
const RESTARTS = 3;
/** A file system in memory, where a sync costs nothing: there, both servers do the same. */
const IN_MEMORY = '/dev/shm';

/** Objects that are put beside nginx, and what the rate must be in memory. */
const PUTS = [
  { title: '1 KiB', bytes: SMALL_BYTES, count: 2_000, connections: CLIENTS, atLeast: 0.5 },
  { title: '1 MiB', bytes: MIB, count: 150, connections: 4, atLeast: 0.9 },
  { title: '16 MiB', bytes: 16 * MIB, count: 16, connections: 2, atLeast: 0.9 },
] as const;

/**
 * P11: one large object in and out over the storage listener with curl, and what memory it takes; objects of several sizes over
 * keep-alive connections, in memory and on the disk, both beside nginx with its dav module; and pages of a folder with a
 * million files.
 */
export async function measureVolumes({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-volume-bench-'));
  const file = path.join(folder, 'large');
  const rounds = isTenth ? 1 : ROUNDS;
  await using berth = await startBerth();
  await using nginx = await startNginxFiles();
  try {
    const volume = volumeClient(berth, 'bench');
    await volume.create();
    await fill(file, isTenth ? LARGE_MIB / 10 : LARGE_MIB);
    const large = await measureLarge({ berth, volume, file, nginxUrl: nginx?.url, rounds, say });
    const onDisk = nginx ? await measurePuts({ berth, nginx, isTenth, say }) : [];
    const inMemory = nginx && existsSync(IN_MEMORY) ? await measurePutsInMemory(isTenth, say) : [];
    const signed = await measureSigned(berth, isTenth ? SIGNED_OBJECTS / 10 : SIGNED_OBJECTS);
    const listed = await measureListing(berth, isTenth ? LISTED_FILES / 100 : LISTED_FILES, say);
    return {
      figures: [...large, ...inMemory, ...onDisk, ...signed, ...listed],
      notes: [
        'Berth syncs each object and its name to the disk before it answers; nginx syncs nothing. In memory, syncs cost nothing.',
        'Neither writes an access log. URLs are signed before the time is taken, unless a figure says otherwise.',
        ...(nginx ? [] : ['nginx with its dav module is not installed and was not measured.']),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface PutsOptions {
  readonly berth: Berth;
  readonly nginx: NginxFiles;
  readonly isTenth: boolean;
  readonly say: (line: string) => void;
  /** Ratios have targets. */
  readonly isGoal?: boolean;
}

async function measurePuts({ berth, nginx, isTenth, say, isGoal = false }: PutsOptions): Promise<Figure[]> {
  const volume = volumeClient(berth, `puts-${isGoal}`);
  await volume.create();
  const where = isGoal ? 'in memory' : 'on disk';
  const figures: Figure[] = [];
  for (const { title, bytes, count: full, connections, atLeast } of PUTS) {
    const count = isTenth ? Math.ceil(full / 10) : full;
    const body = Buffer.alloc(bytes, 'x');
    const rates = { berth: [] as number[], nginx: [] as number[], berthCpu: [] as number[], nginxCpu: [] as number[] };
    // The first round is what a process compiles and reserves.
    for (let round = 0; round <= (isTenth ? 1 : ROUNDS); round++) {
      const paths = Array.from({ length: count }, (_value, index) => `${title}/${round}/${index % 10}/${index}`);
      const signed: string[] = [];
      const sign = async (object: string) => signed.push(await volume.sign('upload', object));
      await eachOf(paths, sign);
      const sides = [
        ['berth', berth.pid, signed],
        ['nginx', nginx.pid, paths.map((object) => `${nginx.url}/${encodeURI(object)}`)],
      ] as const;
      for (const [side, pid, urls] of round % 2 === 0 ? sides : sides.toReversed()) {
        const before = cpuSeconds(processTree(pid));
        const seconds = await putObjects({ urls, body, connections });
        if (round === 0) continue;
        rates[side].push(count / seconds);
        rates[`${side}Cpu`].push(Math.max(cpuSeconds(processTree(pid)) - before, 0.01) / count);
      }
    }
    say(`${title} ${where}: ${JSON.stringify(rates)}`);
    const median = (name: keyof typeof rates) => quantile(rates[name], 0.5);
    const sum = (name: keyof typeof rates) => rates[name].reduce((total, value) => total + value, 0);
    const goal = isGoal ? { id: 'P11', atLeast } : { id: 'P11' };
    figures.push(
      figure(`${title} ${where}, ${connections} connections`, median('berth'), 'req/s'),
      figure(`${title} ${where}: rate / that of nginx`, median('berth') / median('nginx'), 'ratio', goal),
      figure(`${title} ${where}: rate per CPU second / that of nginx`, sum('nginxCpu') / sum('berthCpu'), 'ratio'),
    );
  }
  return figures;
}

async function measurePutsInMemory(isTenth: boolean, say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(path.join(IN_MEMORY, 'berth-volume-bench-'));
  try {
    await using berth = await startBerth({ dataFolder: path.join(folder, 'data') });
    await using nginx = await startNginxFiles(folder);
    return nginx ? await measurePuts({ berth, nginx, isTenth, say, isGoal: true }) : [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `work` for all values, as many at once as there are clients. */
async function eachOf<Value>(values: readonly Value[], work: (value: Value) => Promise<unknown>): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < values.length) await work(values[next++] as Value);
  };
  await Promise.all(Array.from({ length: CLIENTS }, run));
}

interface LargeOptions {
  readonly berth: Berth;
  readonly volume: VolumeClient;
  readonly file: string;
  readonly nginxUrl: string | undefined;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

async function measureLarge({ berth, volume, file, nginxUrl, rounds, say }: LargeOptions): Promise<Figure[]> {
  const seconds = { berthPut: [], berthGet: [], nginxPut: [], nginxGet: [] } as Record<string, number[]>;
  // What the first transfer of a process compiles and reserves is not what a transfer takes.
  await volume.put('warm-up', Buffer.alloc(16 * MIB));
  await volume.get('warm-up');
  const before = residentMib(processTree(berth.pid));
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMib(processTree(berth.pid)));
  }, 50);
  for (let round = 0; round < rounds; round++) {
    seconds['berthPut']?.push(await transfer(['-T', file, await volume.sign('upload', 'large')]));
    seconds['berthGet']?.push(await transfer([await volume.sign('download', 'large')]));
    if (nginxUrl === undefined) continue;
    seconds['nginxPut']?.push(await transfer(['-T', file, `${nginxUrl}/large`]));
    seconds['nginxGet']?.push(await transfer([`${nginxUrl}/large`]));
  }
  clearInterval(watch);
  say(`seconds: ${JSON.stringify(seconds)}`);
  const median = (name: string) => quantile(seconds[name] ?? [], 0.5);
  const ratio = (kind: 'Put' | 'Get') => roundTo(median(`nginx${kind}`) / median(`berth${kind}`), 2);
  return [
    figure('large object in, median', median('berthPut') * 1_000, 'ms'),
    figure('large object out, median', median('berthGet') * 1_000, 'ms'),
    ...(nginxUrl === undefined
      ? []
      : ([
          figure('in: rate / that of nginx', ratio('Put'), 'ratio', { id: 'P11', atLeast: 0.8 }),
          figure('out: rate / that of nginx', ratio('Get'), 'ratio', { id: 'P11', atLeast: 0.8 }),
        ] as const)),
    figure('memory it took, at its peak', peak - before, 'MB', { id: 'P11', target: 50 }),
  ];
}

/** Small objects, each with an API call for its URL. */
async function measureSigned(berth: Berth, count: number): Promise<Figure[]> {
  const volume = volumeClient(berth, 'bench-signed');
  await volume.create();
  const body = Buffer.alloc(SMALL_BYTES, 'x');
  const paths = Array.from({ length: count }, (_value, index) => `dir-${index % 100}/object-${index}`);
  const putMs = await timed(() =>
    eachOf(paths, async (object) => {
      const answer = await volume.put(object, body);
      if (answer.status !== 200) throw new Error(`PUT: ${answer.status} ${await answer.text()}`);
      await answer.bytes();
    }),
  );
  return [figure(`1 KiB on disk, each with a call for its URL, ${CLIENTS} clients`, (count / putMs) * 1_000, 'req/s')];
}

/** A folder with very many files, made as a service makes them: in the mounted folder. */
async function measureListing(berth: Berth, count: number, say: (line: string) => void): Promise<Figure[]> {
  const volume = volumeClient(berth, 'bench-listing');
  await volume.create();
  await (await volume.put('first', 'x')).bytes();
  const [folder = ''] = globSync(path.join(berth.dataFolder, '**/volumes/acc_*/bench-listing.*'));
  for (let index = 1; index < count; index++) closeSync(openSync(path.join(folder, `object-${index}`), 'w'));
  const pagesMs: number[] = [];
  let listed = 0;
  for (let token: string | null = ''; token !== null; ) {
    const [page, ms] = await readPage(berth, volume.name, token);
    pagesMs.push(ms);
    listed += page.objects.length;
    token = page.next_page_token;
  }
  if (listed !== count) throw new Error(`${listed} of ${count} files are listed`);
  const [firstMs = 0, ...laterMs] = pagesMs;
  const listings = path.join(folder, '../../.listings');
  const isStored = () => existsSync(listings) && readdirSync(listings).some((name) => !name.endsWith('.tmp'));
  await waitFor('the names are stored', isStored, { timeoutMs: 60_000 }).catch(() => say('the names were not stored'));
  const restartedMs: number[] = [];
  for (let restart = 0; restart < RESTARTS; restart++) {
    await berth.kill9();
    await berth.start();
    restartedMs.push((await readPage(berth, volume.name, ''))[1]);
  }
  say(`${count} files in ${pagesMs.length} pages, slowest later page ${Math.round(Math.max(...laterMs))} ms`);
  say(`first pages after restarts: ${restartedMs.map(Math.round).join(' ')} ms`);
  return [
    figure(`${count} files in one folder: first page after a change`, firstMs, 'ms', { id: 'P11', target: 100 }),
    figure('first page after a restart, median', quantile(restartedMs, 0.5), 'ms', { id: 'P11', target: 100 }),
    figure('later pages, median', quantile(laterMs, 0.5), 'ms'),
    figure('later pages, p99', quantile(laterMs, 0.99), 'ms', { id: 'P11', target: 100 }),
  ];
}

/** Returns a page of a volume's objects, and the milliseconds that it took. */
async function readPage(berth: Berth, volume: string, token: string): Promise<readonly [ObjectsPage, number]> {
  const route = `/v1/volume/objects?volume=${volume}&limit=${PAGE}${token && `&page_token=${token}`}`;
  const startedMs = performance.now();
  const page = (await (await berth.api(route)).json()) as ObjectsPage;
  return [page, performance.now() - startedMs];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Seconds that curl took. @throws Error when it failed. */
async function transfer(words: readonly string[]): Promise<number> {
  const options = ['-sS', '--fail-with-body', '-o', '/dev/null', '-w', '%{time_total}'];
  const child = spawn('curl', [...options, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`curl ended with ${code}`);
  return Number(output);
}

async function fill(file: string, mib: number): Promise<void> {
  writeFileSync(file, '');
  await using handle = await open(file, 'w');
  const chunk = Buffer.alloc(MIB);
  for (let index = 0; index < mib; index++) {
    chunk.writeUInt32LE(index);
    await handle.writeFile(chunk);
  }
}
