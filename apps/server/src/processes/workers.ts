import { randomBytes } from 'node:crypto';
import { ACME_CHALLENGE_PREFIX } from '@berth/certificates';
import { DOMAIN_PROOF_PREFIX } from '@berth/contract';
import type { TrafficRule } from '@berth/gateway';
import { createProcessPort } from '@berth/gateway/workers';
import { type Clock, describeError, type Logger } from '@berth/kit';
import type { RoleFigures } from '../metrics/process-figures.ts';
import { type Calls, createCalls } from './calls.ts';
import {
  CHANNELS,
  type DomainEntries,
  type FrontHandlers,
  type WorkerHandlers,
  type WorkerSetting,
} from './role-calls.ts';
import { FIRST_DESCRIPTOR, type RoleProcess, startRoleProcess } from './role-process.ts';
import { supervise } from './supervise.ts';

/** Options of {@link createWorkers}. */
export interface WorkersOptions {
  readonly count: number;
  /** Descriptors in this process that each worker listens on. */
  readonly descriptors: { readonly plain: readonly number[]; readonly tls: readonly number[] };
  readonly setting: Pick<WorkerSetting, 'config' | 'listenPort' | 'apiSocket' | 'hasFigures'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Connects a new worker to the gateway, in the same turn of the event loop. */
  attach(child: RoleProcess['child'], kill: () => void): void;
  readonly findProof: FrontHandlers['findProof'];
  readonly clock: Clock;
  readonly logger: Logger;
}

const PROOF_PREFIXES = [ACME_CHALLENGE_PREFIX, DOMAIN_PROOF_PREFIX];

/** Workers answer within milliseconds; one that takes longer hangs. */
const ANSWER_MS = 5_000;
/** Requests were drained before; the rest is cut off. */
const CLOSE_MS = 1_000;

/** Source: Node.js, `tls.createServer`, `ticketKeys`. */
const TICKET_KEYS_BYTES = 48;

interface Running {
  readonly name: string;
  readonly calls: Calls<WorkerHandlers>;
  readonly process: RoleProcess;
}

/** Creates all worker processes as one. */
export function createWorkers(options: WorkersOptions) {
  const { count, descriptors, setting, environment, attach, findProof, clock, logger } = options;
  const running = new Set<Running>();
  const ticketKeys = randomBytes(TICKET_KEYS_BYTES);
  let domains: DomainEntries = [];
  let traffic: readonly TrafficRule[] = [];
  let isOpen = false;

  /** Calls all workers and kills those that don't answer. */
  const ask = async (work: (worker: Running) => Promise<unknown>): Promise<void> => {
    await Promise.all([...running].map((worker) => within(worker, work(worker))));
  };
  const within = async (worker: Running, work: Promise<unknown>): Promise<void> => {
    const timer = clock.setTimer(ANSWER_MS, () => {
      logger.error({ process: worker.name }, 'a gateway worker does not respond and is being killed');
      worker.process.kill();
    });
    try {
      await work;
    } catch (error) {
      // A worker that ended is replaced, and the next one gets the current state when it starts.
      logger.debug(
        { process: worker.name, error: describeError(error) },
        'a gateway worker failed to handle a request of the control process',
      );
    } finally {
      timer.cancel();
    }
  };

  const launch = () => startRoleProcess('worker', environment, [...descriptors.plain, ...descriptors.tls]);
  const prepare = async (name: string, process: RoleProcess): Promise<void> => {
    attach(process.child, process.kill);
    const calls = createCalls<WorkerHandlers>(createProcessPort(process.child, CHANNELS.calls), { findProof });
    const worker = { name, calls, process };
    running.add(worker);
    process.ended.then(() => running.delete(worker));
    const first = FIRST_DESCRIPTOR + descriptors.plain.length;
    await calls.call('start', {
      ...setting,
      name,
      domains,
      traffic,
      isOpen,
      proofPrefixes: PROOF_PREFIXES,
      ticketKeys,
      plainDescriptors: descriptors.plain.map((_, index) => FIRST_DESCRIPTOR + index),
      tlsDescriptors: descriptors.tls.map((_, index) => first + index),
    });
  };
  const supervisors = Array.from({ length: count }, (_, index) => {
    const name = `worker-${index + 1}`;
    return supervise({ name, launch, prepare: (process) => prepare(name, process), clock, logger });
  });

  return {
    /** @throws the error of a worker's first process */
    async start(): Promise<void> {
      await Promise.all(supervisors.map((one) => one.start()));
    },
    /** Lets all current and future workers accept requests. */
    open(): Promise<void> {
      isOpen = true;
      return ask(({ calls }) => calls.call('open', null));
    },
    /** Resolves when all workers route by `entries`. A worker that doesn't answer is killed. */
    setDomains(entries: DomainEntries): Promise<void> {
      domains = entries;
      return ask(({ calls }) => calls.call('setDomains', entries));
    },
    /** Resolves when all workers spread requests by `rules`. A worker that doesn't answer is killed. */
    setTraffic(rules: readonly TrafficRule[]): Promise<void> {
      traffic = rules;
      return ask(({ calls }) => calls.call('setTraffic', rules));
    },
    reloadCertificates: (): Promise<void> => ask(({ calls }) => calls.call('reloadCertificates', null)),
    async figures(): Promise<readonly RoleFigures[]> {
      const all: RoleFigures[] = [];
      await ask(async ({ name, calls }) => {
        all.push({ role: name, figures: await calls.call('figures', null) });
      });
      return all.sort((a, b) => a.role.localeCompare(b.role, 'en', { numeric: true }));
    },
    async close(): Promise<void> {
      await ask(({ calls }) => calls.call('close', CLOSE_MS));
      await Promise.all(supervisors.map((one) => one.close(ANSWER_MS)));
    },
  };
}
