import { appendFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Clock, createSilentLogger, createSystemClock } from '@berth/kit';
import type { LogInput } from '@berth/logstore';
import { createFakeClock } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { type CollectedPod, createCollector } from './create-collector.ts';

const POD: CollectedPod = {
  account: 'acme',
  deployment: 'shop',
  revision: 'shop-00001',
  instance: 'inst_1',
  folder: 'berth-acme_shop-inst-1_0000',
  container: 'service',
};
let nanoseconds = 123_000_000;
/** Every line has a time of its own, as those of a runtime. */
const line = (text: string, tag = 'F', stream = 'stdout') =>
  `2026-11-28T06:22:36.${++nanoseconds}Z ${stream} ${tag} ${text}\n`;

async function createFixture() {
  const root = await mkdtemp(path.join(tmpdir(), 'berth-collector-'));
  const container = path.join(root, 'pods', POD.folder, POD.container);
  await mkdir(container, { recursive: true });
  const entries: LogInput[] = [];
  let pods: readonly CollectedPod[] = [POD];
  let gate = Promise.resolve();
  let flushed = 0;
  return {
    entries,
    file: (name: string) => path.join(container, name),
    positions: path.join(root, 'positions.json'),
    messages: () => entries.map(({ message }) => message),
    hold: (until: Promise<void>) => {
      gate = until;
    },
    forgetPods: () => {
      pods = [];
    },
    flushes: () => flushed,
    open(clock: Clock = createSystemClock()) {
      return createCollector({
        folder: path.join(root, 'pods'),
        positionsFile: path.join(root, 'positions.json'),
        listPods: () => pods,
        logs: {
          async append(_scope, more) {
            await gate;
            entries.push(...more);
          },
          async flush() {
            flushed = entries.length;
          },
        },
        clock,
        logger: createSilentLogger(),
      });
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

describe('a collector', () => {
  it('reads whole lines of both streams, with the time at which they were printed', async () => {
    await using fixture = await createFixture();
    await writeFile(
      fixture.file('0.log'),
      `${line('begin ', 'P') + line('and end') + line('oops', 'F', 'stderr')}half a li`,
    );
    const collector = fixture.open();
    await collector.start();
    await expect.poll(fixture.messages).toEqual(['begin and end', 'oops']);
    expect(fixture.entries.map(({ logName }) => logName)).toEqual(['stdout', 'stderr']);
    expect(fixture.entries[0]).toMatchObject({ instance: 'inst_1', timeMs: Date.parse('2026-11-28T06:22:36.123Z') });
    await collector.close();
  });

  // Fails when a rotated file is left before its end, or a compressed one is read from its beginning again.
  it('follows rotation and restarts of the container, and goes on where it was after its own', async () => {
    await using fixture = await createFixture();
    await writeFile(fixture.file('0.log'), line('1'));
    const first = fixture.open();
    await first.start();
    await expect.poll(fixture.messages).toEqual(['1']);
    await first.close();
    await appendFile(fixture.file('0.log'), line('2'));
    await rename(fixture.file('0.log'), fixture.file('0.log.20261128-062236'));
    await writeFile(fixture.file('0.log'), line('3'));
    await writeFile(fixture.file('1.log'), line('4'));
    const second = fixture.open();
    await second.start();
    await expect.poll(fixture.messages).toEqual(['1', '2', '3', '4']);
    await second.close();
  });

  it('says what was rotated away before it was read', async () => {
    await using fixture = await createFixture();
    await writeFile(fixture.file('0.log'), line('1'));
    const first = fixture.open();
    await first.start();
    await expect.poll(fixture.messages).toEqual(['1']);
    await first.close();
    await rm(fixture.file('0.log'));
    await writeFile(fixture.file('0.log.20261128-070000.gz'), await promisify(gzip)(line('7')));
    await writeFile(fixture.file('0.log'), line('8'));
    const second = fixture.open();
    await second.start();
    await expect.poll(fixture.messages).toEqual(['1', expect.stringContaining('Output is missing here'), '7', '8']);
    expect(second.lostFiles).toBe(1);
    await second.close();
  });

  // Fails when the position is saved while a line waits for the rest of a stack trace: a crash would lose it.
  it('saves no position beyond a line that may begin a stack trace', async () => {
    await using fixture = await createFixture();
    const clock = createFakeClock();
    await writeFile(fixture.file('0.log'), line('1'));
    const collector = fixture.open(clock);
    await collector.start();
    const key = `${POD.folder}/${POD.container}`;
    const offset = async () => {
      const saved = JSON.parse(await readFile(fixture.positions, 'utf8').catch(() => '{}'));
      return (saved as Record<string, { offset: number }>)[key]?.offset;
    };
    const ofFirst = line('1').length;
    const round = () => clock.elapse(200);
    await expect.poll(async () => [await round(), await offset()][1]).toBe(ofFirst);
    const held = line('TypeError: held back');
    await appendFile(fixture.file('0.log'), held);
    await round();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([fixture.messages(), await offset()]).toEqual([['1'], ofFirst]);
    await expect.poll(async () => [await round(), await offset()][1]).toBe(ofFirst + held.length);
    expect(fixture.messages()).toEqual(['1', 'TypeError: held back']);
    await collector.close();
  });

  // Fails when a position is saved before its lines are on disk: a crash would lose them.
  it('saves positions of what is on disk only, and forgets those of Pods that are gone', async () => {
    await using fixture = await createFixture();
    const held = Promise.withResolvers<void>();
    fixture.hold(held.promise);
    await writeFile(fixture.file('0.log'), line('1'));
    const collector = fixture.open();
    await collector.start();
    await new Promise((resolve) => setTimeout(resolve, 400));
    await expect(readFile(fixture.positions, 'utf8')).rejects.toThrow('ENOENT');
    held.resolve();
    const saved = async () => JSON.parse(await readFile(fixture.positions, 'utf8').catch(() => '{}')) as object;
    await expect.poll(async () => Object.keys(await saved())).toEqual([`${POD.folder}/${POD.container}`]);
    expect(fixture.flushes()).toBe(1);
    fixture.forgetPods();
    await expect.poll(async () => Object.keys(await saved())).toEqual([]);
    await collector.close();
  });
});
