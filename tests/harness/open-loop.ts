import { Agent } from 'node:http';
import type { Berth } from './berth.ts';
import { request } from './request.ts';
import { waitFor } from './wait-for.ts';

export interface LoadOptions {
  readonly service: string;
  readonly path?: string;
  readonly requestsPerSecond: number;
  /** One connection for many requests, or a new one for each. */
  readonly isKeptAlive: boolean;
}

/** What a run of the load came to. */
export interface LoadResult {
  readonly sent: number;
  /** Every answer's body, counted: which revision answered how often. */
  readonly answers: ReadonlyMap<string, number>;
  /** Everything that was not a 200, as text. */
  readonly failures: readonly string[];
  /** From the planned send time to the last byte, in milliseconds, ascending. */
  readonly latenciesMs: readonly number[];
  /** Planned send times (`performance.now()`) of requests that failed, or took longer than a second. */
  readonly troubledAtMs: readonly number[];
}

const SLOW_MS = 1_000;

/** A running load. */
export interface Load {
  /** Resolves when a request was answered with this text. */
  answered(text: string): Promise<void>;
  /** Sends no more, waits for all answers. */
  stop(): Promise<LoadResult>;
}

/**
 * Sends at planned times, whether or not earlier requests were answered: a slow server makes it slower for all that
 * follow, as it does for real users.
 */
export function startLoad(berth: Pick<Berth, 'port'> & Partial<Pick<Berth, 'host'>>, options: LoadOptions): Load {
  const agent = new Agent({ keepAlive: options.isKeptAlive, maxSockets: 512 });
  const answers = new Map<string, number>();
  const failures: string[] = [];
  const latenciesMs: number[] = [];
  const troubledAtMs: number[] = [];
  const open = new Set<Promise<void>>();
  const startedMs = performance.now();
  const gapMs = 1_000 / options.requestsPerSecond;
  let sent = 0;

  const send = async (plannedMs: number): Promise<void> => {
    try {
      const answer = await request(berth, options.service, options.path ?? '/', { agent });
      latenciesMs.push(performance.now() - plannedMs);
      if (answer.status === 200) answers.set(answer.text, (answers.get(answer.text) ?? 0) + 1);
      else failures.push(`${answer.status} ${answer.text.slice(0, 200)}`);
      if (answer.status !== 200 || performance.now() - plannedMs > SLOW_MS) troubledAtMs.push(plannedMs);
    } catch (error) {
      failures.push(String(error));
      troubledAtMs.push(plannedMs);
    }
  };
  const timer = setInterval(() => {
    while (startedMs + sent * gapMs <= performance.now()) {
      const one = send(startedMs + sent * gapMs).finally(() => open.delete(one));
      open.add(one);
      sent++;
    }
  }, 1);

  return {
    answered: async (text) => void (await waitFor(`"${text}" is answered`, () => answers.has(text))),
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
      return { sent, answers, failures, troubledAtMs, latenciesMs: latenciesMs.sort((a, b) => a - b) };
    },
  };
}
