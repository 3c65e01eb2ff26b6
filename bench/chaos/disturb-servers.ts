import { setTimeout as sleep } from 'node:timers/promises';
import type { Berth } from '../../tests/harness/berth.ts';
import type { Servers } from '../../tests/harness/servers.ts';

/** A way to take a server away for a while. */
export type Disturbance = 'kill' | 'cut' | 'pause';

/** Disturbs one server at a time, and knows which are up. */
export interface Disturber {
  /** How often each was done. */
  readonly counts: Readonly<Record<Disturbance, number>>;
  isUp(berth: Berth): boolean;
  /** Kills a server with SIGKILL and starts it again, cuts its network, or stops its process, for `awayMs`. Resolves when it is ready. */
  disturb(berth: Berth, how: Disturbance, awayMs: number): Promise<void>;
}

/** Creates a {@link Disturber} of servers. */
export function createDisturber({ cellOf }: Pick<Servers, 'cellOf'>): Disturber {
  const away = new Set<Berth>();
  const counts = { kill: 0, cut: 0, pause: 0 };
  const acts: Readonly<Record<Disturbance, (berth: Berth, awayMs: number) => Promise<void>>> = {
    async kill(berth, awayMs) {
      await berth.kill9();
      await sleep(awayMs);
      await berth.start();
    },
    async cut(berth, awayMs) {
      const cell = cellOf(berth);
      cell.cut();
      await sleep(awayMs);
      cell.mend();
    },
    async pause(berth, awayMs) {
      const { pid } = berth;
      process.kill(pid, 'SIGSTOP');
      await sleep(awayMs);
      process.kill(pid, 'SIGCONT');
    },
  };
  return {
    counts,
    isUp: (berth) => !away.has(berth),
    async disturb(berth, how, awayMs) {
      away.add(berth);
      try {
        await acts[how](berth, awayMs);
        counts[how]++;
        await untilReady(berth);
      } finally {
        away.delete(berth);
      }
    },
  };
}

const READY_MS = 60_000;
const LOOK_MS = 100;

async function untilReady(berth: Berth): Promise<void> {
  for (const endMs = performance.now() + READY_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
    const answer = await berth.api('/readyz', { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    if (answer?.status === 200) return;
  }
  throw new Error(`${berth.url} was not ready again within ${READY_MS / 1_000} s`);
}
