import type { InstanceEvent, StartReason, StopReason } from '@berth/gateway';
import type { LogInput } from '@berth/logstore';
import type { InstanceExit } from '@berth/runtime';

type BusyEnd = Extract<InstanceEvent, { kind: 'busy_ended' }>['reason'];
type Described = Pick<LogInput, 'severity' | 'message'>;

const START_REASONS: Readonly<Record<StartReason, string>> = {
  deploy: 'a deploy',
  release: 'release command of a deploy',
  run: 'a command of berth run',
  request: 'a request arrived and no instance was running',
  scale_up: 'the running instances were busy',
  restart_after_crash: 'the previous instance crashed',
  min_instances: 'min_instances keeps it running',
  adopted: 'another server had it',
  evicted: 'it replaces an instance whose machine is being drained',
};

const STOP_REASONS: Readonly<Record<StopReason, string>> = {
  completed: 'its command finished',
  idle: 'idle',
  scale_down: 'scaled down',
  replaced: 'a newer revision is live',
  deleted: 'the deployment was deleted',
  stopped: 'the deployment was stopped',
  shutdown: 'the platform is shutting down',
  evicted: 'its machine is being drained; another instance takes its place',
};

const BUSY_ENDS: Readonly<Record<BusyEnd, string>> = {
  done: 'its work is finished',
  request: 'a request arrived',
  limit: 'the maximum time without a request is over',
  no_answer: 'it no longer reports work',
  ended: 'it ended',
};

/** Returns the log entry of an instance event; undefined for events that only the meter uses. */
export function describeInstanceEvent(event: InstanceEvent): Described | undefined {
  switch (event.kind) {
    case 'started':
      return { severity: 'INFO', message: `Instance started: ${START_REASONS[event.reason]}.` };
    case 'ready':
      return { severity: 'INFO', message: `Instance ready after ${Math.round(event.startMs)} ms.` };
    case 'suspended':
      return { severity: 'INFO', message: 'Instance suspended: idle. The next request resumes it.' };
    case 'resumed':
      return {
        severity: 'INFO',
        message: `Instance resumed in ${atMostOneDecimal(event.resumeMs)} ms: a request arrived.`,
      };
    case 'busy':
      return { severity: 'INFO', message: 'Instance busy: it reports background work, so it is kept and billed.' };
    case 'busy_ended':
      return {
        severity: event.reason === 'limit' ? 'WARNING' : 'INFO',
        message: `Instance was busy for ${Math.round(event.busyMs / 1_000)} s: ${BUSY_ENDS[event.reason]}.`,
      };
    case 'unhealthy':
      return { severity: 'ERROR', message: `Instance unhealthy: ${event.message}` };
    case 'start_failed': {
      const exit = event.exit ? ` (${describeExit(event.exit)})` : '';
      return { severity: 'ERROR', message: `Instance did not start: ${event.message}${exit}` };
    }
    case 'stopped': {
      const message = `Instance stopped: ${STOP_REASONS[event.reason]}`;
      // The instance ignored the request to end, so its work was cut off.
      if (event.exit.signal !== 'SIGKILL') return { severity: 'INFO', message: `${message}.` };
      return { severity: 'WARNING', message: `${message}. It did not end on SIGTERM and was killed.` };
    }
    case 'crashed':
      return { severity: 'ERROR', message: `Instance crashed: ${describeExit(event.exit)}.` };
    case 'billed':
    case 'measured':
    case 'ended':
      return undefined;
  }
}

function atMostOneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}

function describeExit({ exitCode, signal, isOutOfMemory, reason }: InstanceExit): string {
  if (isOutOfMemory) return 'it was out of memory';
  if (reason !== undefined) return reason;
  return signal === null ? `exit code ${exitCode}` : `ended by ${signal}`;
}
