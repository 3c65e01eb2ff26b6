import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type Berth, startBerth } from '../../tests/harness/berth.ts';
import { type VolumeClient, volumeClient } from '../../tests/harness/volumes.ts';
import { type BenchOptions, type BenchResult, type Figure, figure } from '../figure.ts';
import { startNginxFiles } from '../peers/nginx-files.ts';
import { processTree, residentMib } from '../process-tree.ts';
import { quantile, roundTo } from '../statistics.ts';

const MIB = 2 ** 20;
const LARGE_MIB = 1_024;
const ROUNDS = 5;
const SMALL_OBJECTS = 100_000;
const SMALL_BYTES = 1_024;
const CLIENTS = 16;

/**
 * P11: one large object in and out over the storage listener, beside nginx with its dav module, and what memory it takes;
 * then many small ones, each with an API call for its URL. The client is curl for the large one.
 */
export async function measureVolumes({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-volume-bench-'));
  const file = path.join(folder, 'large');
  await using berth = await startBerth();
  await using nginx = await startNginxFiles();
  try {
    const volume = volumeClient(berth, 'bench');
    await volume.create();
    await fill(file, isTenth ? LARGE_MIB / 10 : LARGE_MIB);
    const large = await measureLarge({ berth, volume, file, nginxUrl: nginx?.url, rounds: isTenth ? 1 : ROUNDS, say });
    const small = await measureSmall(berth, isTenth ? SMALL_OBJECTS / 100 : SMALL_OBJECTS, say);
    return {
      figures: [...large, ...small],
      notes: [
        'Berth syncs each object to the disk before it answers; nginx does not.',
        ...(nginx ? [] : ['nginx with its dav module is not installed and was not measured.']),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
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

async function measureSmall(berth: Berth, count: number, say: (line: string) => void): Promise<Figure[]> {
  const volume = volumeClient(berth, 'bench-small');
  await volume.create();
  const body = Buffer.alloc(SMALL_BYTES, 'x');
  let next = 0;
  const put = async () => {
    while (next < count) {
      const index = next++;
      const answer = await volume.put(`dir-${index % 100}/object-${index}`, body);
      if (answer.status !== 200) throw new Error(`PUT: ${answer.status} ${await answer.text()}`);
      await answer.bytes();
    }
  };
  const putMs = await timed(() => Promise.all(Array.from({ length: CLIENTS }, put)));
  let firstMs = 0;
  let listed = 0;
  const listMs = await timed(async () => {
    for (let token: string | null = ''; token !== null; ) {
      const route = `/v1/volume/objects?volume=${volume.name}&limit=1000${token && `&page_token=${token}`}`;
      const startedMs = performance.now();
      const page = (await (await berth.api(route)).json()) as { objects: unknown[]; next_page_token: string | null };
      firstMs ||= performance.now() - startedMs;
      listed += page.objects.length;
      token = page.next_page_token;
    }
  });
  if (listed !== count) throw new Error(`${listed} of ${count} objects are listed`);
  say(`${count} small objects: ${Math.round(putMs)} ms in, ${Math.round(listMs)} ms to list`);
  return [
    figure(`${count} objects of 1 KiB in, ${CLIENTS} clients`, (count / putMs) * 1_000, 'req/s'),
    figure('their listing, objects a second', (count / listMs) * 1_000, 'req/s'),
    figure('its first page', firstMs, 'ms', { target: 50 }),
  ];
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
