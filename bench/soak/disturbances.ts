import { setTimeout as sleep } from 'node:timers/promises';
import type { Berth } from '../../tests/harness/berth.ts';
import { deploy } from '../../tests/harness/deploy.ts';
import { findProcesses } from '../../tests/harness/processes.ts';
import { probe } from '../../tests/harness/project-files.ts';

/** What happens to a platform under traffic, at a fixed pace, until it is stopped. */
export interface Disturbance {
  readonly count: number;
  /** What must not have happened. */
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

/** Every so often one of the services gets a new revision, in turn. A deploy that fails is excused by a kill while it ran. */
export function startRedeploys(
  berth: Berth,
  names: readonly string[],
  everyMs: number,
  fields: Readonly<Record<string, string>>,
  killedAtMs: readonly number[],
): Disturbance {
  return startEvery(everyMs, async (round, failures) => {
    const name = names[round % names.length] as string;
    const startedMs = performance.now();
    const { last } = await deploy(berth, name, { files: probe({ 'version.txt': String(round) }), fields });
    const wasHit = killedAtMs.some((atMs) => atMs >= startedMs);
    if (last.status !== 'DONE' && !wasHit) failures.push(`deploy of ${name}: ${last.code ?? ''} ${last.message ?? ''}`);
  });
}

/** Every so often the program of a random instance is killed, suspended ones too; the time of each kill goes to `killedAtMs`. */
export function startKills(names: readonly string[], everyMs: number, killedAtMs: number[]): Disturbance {
  return startEvery(everyMs, async () => {
    const name = names[Math.floor(Math.random() * names.length)] as string;
    const programs = findProcesses(`K_SERVICE=${name}`).filter(({ command }) => command.endsWith('server.js'));
    const victim = programs[Math.floor(Math.random() * programs.length)];
    if (victim === undefined) return;
    killedAtMs.push(performance.now());
    try {
      process.kill(victim.pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
  });
}

function startEvery(everyMs: number, act: (round: number, failures: string[]) => Promise<void>): Disturbance {
  const failures: string[] = [];
  const abort = new AbortController();
  let count = 0;
  const run = async () => {
    let nextMs = performance.now() + everyMs;
    for (;;) {
      const isOver = await sleep(Math.max(0, nextMs - performance.now()), false, { signal: abort.signal }).catch(
        () => true,
      );
      if (isOver) return;
      nextMs += everyMs;
      await act(count++, failures).catch((error: unknown) => failures.push(String(error)));
    }
  };
  const running = run();
  return {
    failures,
    get count() {
      return count;
    },
    async stop() {
      abort.abort();
      await running;
    },
  };
}
