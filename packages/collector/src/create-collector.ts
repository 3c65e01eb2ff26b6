import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import { createOutputParser, type LogInput, type LogStore, type OutputParser } from '@berth/logstore';
import { readContainerLog } from './container-log.ts';
import { type Position, type Positions, readPositions, savePositions } from './positions.ts';

/** A Pod of this node, whose container prints into a deployment's log. */
export interface CollectedPod {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  readonly instance: string;
  /** Name of the folder in `/var/log/pods`: `<namespace>_<name>_<uid>`. */
  readonly folder: string;
  readonly container: string;
}

/** Options of {@link createCollector}. */
export interface CollectorOptions {
  /** `/var/log/pods`. */
  readonly folder: string;
  /** File for the positions, on a disk that survives a restart of the collector. */
  readonly positionsFile: string;
  /** Returns the Pods of this node, including those that ended and still exist. */
  readonly listPods: () => readonly CollectedPod[];
  readonly logs: Pick<LogStore, 'append' | 'flush'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads the output of a node's Pods into the log store. */
export interface Collector {
  start(): Promise<void>;
  /** Number of log files that were gone before they were read to their end. */
  readonly lostFiles: number;
  /** Reads what is there, saves the positions and stops. Idempotent. */
  close(): Promise<void>;
}

/** Interval at which files are looked at. */
const POLL_MS = 200;

interface Followed {
  readonly pod: CollectedPod;
  readonly parser: OutputParser;
  /** Time of the line that is parsed. */
  timeMs: number;
  /** Up to here, nothing waits in the parser for the end of its line or of a stack trace. */
  settled: Position | undefined;
}

/**
 * Creates a collector. Invariants:
 * 1. A position is saved only when everything before it is on the log store's disk, and nothing of it waits for the end of a stack trace. After a crash, the lines since then are read again.
 * 2. The store's back-pressure stops the reading of that deployment's files, which the kubelet keeps until it rotates them.
 * 3. The log of a deployment says where a file was rotated away before it was read.
 */
export function createCollector(options: CollectorOptions): Collector {
  const { folder, positionsFile, listPods, logs, clock, logger } = options;
  const followed = new Map<string, Followed>();
  let positions: Positions = new Map();
  let lostFiles = 0;
  /** Whether positions have settled that aren't saved. */
  let isDirty = false;
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;

  const scopeOf = ({ account, deployment }: CollectedPod) => ({ account, deployment });
  const follow = (pod: CollectedPod): Followed => {
    const key = path.join(pod.folder, pod.container);
    const known = followed.get(key);
    if (known) return known;
    const one: Followed = {
      pod,
      timeMs: clock.nowMs(),
      settled: positions.get(key),
      parser: createOutputParser({
        revision: pod.revision,
        instance: pod.instance,
        clock,
        onQuiet(entries) {
          runInBackground('append output', append(key, one, entries), logger);
        },
      }),
    };
    followed.set(key, one);
    return one;
  };

  const append = async (key: string, one: Followed, entries: readonly LogInput[]) => {
    if (entries.length > 0) await logs.append(scopeOf(one.pod), withTime(entries, one.timeMs));
    if (one.parser.isWaiting) return;
    one.settled = positions.get(key);
    isDirty = true;
  };

  /** Reads what one container printed. Returns whether there is more. */
  const read = async (pod: CollectedPod): Promise<boolean> => {
    const key = path.join(pod.folder, pod.container);
    const one = follow(pod);
    const found = await readContainerLog(path.join(folder, key), positions.get(key));
    if (found.lostFiles > 0) {
      lostFiles += found.lostFiles;
      logger.warn({ pod: pod.folder }, 'a log file was rotated away before it was read');
      await logs.append(scopeOf(pod), [lossEntry(pod, clock.nowMs())]);
    }
    for (const { timeMs, stream, content } of found.lines) {
      const entries = one.parser.push(stream, content);
      one.timeMs = timeMs;
      if (entries.length > 0) await logs.append(scopeOf(pod), withTime(entries, timeMs));
    }
    if (found.position) positions.set(key, found.position);
    if (found.hasMore) await append(key, one, []);
    return found.hasMore;
  };

  const round = async (): Promise<void> => {
    const pods = listPods();
    const present = new Set(await readdir(folder).catch((): string[] => []));
    let pending = pods.filter((pod) => present.has(pod.folder));
    // One chunk of each in turn, so that a Pod that prints much doesn't hold up the others.
    for (let budget = 64; pending.length > 0 && budget > 0; budget--) {
      const more = await Promise.all(pending.map(async (pod) => ((await read(pod)) ? pod : undefined)));
      pending = more.filter((pod) => pod !== undefined);
    }
    for (const [key, { pod, parser }] of followed) {
      if (present.has(pod.folder) && pods.some((one) => one.folder === pod.folder)) continue;
      const rest = parser.end();
      if (rest.length > 0) await logs.append(scopeOf(pod), rest);
      followed.delete(key);
      positions.delete(key);
      isDirty = true;
    }
    await save();
  };
  const save = async (): Promise<void> => {
    if (!isDirty) return;
    isDirty = false;
    const durable = new Map(positions);
    for (const [key, { settled }] of followed) {
      if (settled) durable.set(key, settled);
      else durable.delete(key);
    }
    await logs.flush();
    await savePositions(positionsFile, durable);
  };

  const loop = () => {
    timer = clock.setTimer(POLL_MS, () => {
      running = round()
        .catch((error: unknown) =>
          logger.error({ error: describeError(error) }, 'the output of Pods could not be read'),
        )
        .finally(() => {
          running = undefined;
          if (!isClosed) loop();
        });
      runInBackground('collect output', running, logger);
    });
  };

  let closed: Promise<void> | undefined;
  const close = async () => {
    isClosed = true;
    timer?.cancel();
    await running;
    await round();
    for (const [key, one] of followed) await append(key, one, one.parser.end());
    await save();
  };
  return {
    get lostFiles() {
      return lostFiles;
    },
    async start() {
      positions = await readPositions(positionsFile);
      loop();
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Sets the time at which the program printed entries that don't have a time of their own. */
function withTime(entries: readonly LogInput[], timeMs: number): LogInput[] {
  return entries.map((entry) => ({ timeMs, ...entry }));
}

function lossEntry({ revision, instance }: CollectedPod, timeMs: number): LogInput {
  return {
    logName: 'system',
    severity: 'WARNING',
    message: 'Output is missing here: a log file of the instance was removed before it was read.',
    revision,
    instance,
    timeMs,
  };
}
