import type { Severity } from '@berth/contract';
import type { InstanceEvent, StartReason, StopReason } from '@berth/gateway';
import type { LogInput } from '@berth/logstore';
import type { InstanceExit } from '@berth/runtime';

const START_REASONS: Readonly<Record<StartReason, string>> = {
  deploy: 'a deploy brings its revision into service',
  request: 'a request came and no instance was running',
  scale_up: 'the load needs more instances',
  restart_after_crash: 'the one before it crashed',
};

const STOP_REASONS: Readonly<Record<StopReason, string>> = {
  idle: 'no request for the idle time',
  scale_down: 'the load needs fewer instances',
  replaced: 'a newer revision has the traffic',
  deleted: 'the deployment was deleted',
  shutdown: 'the platform is stopping',
};

/** What became of an instance as a `system` log entry of its deployment; undefined for what is only metered. */
export function instanceEventEntry(event: InstanceEvent): LogInput | undefined {
  const told = describe(event);
  if (!told) return undefined;
  const { revision, instance, timeMs, kind } = event;
  const reason = 'reason' in event ? { reason: event.reason } : {};
  const labels = { event: kind, ...reason };
  return { logName: 'system', severity: told.severity, message: told.message, revision, instance, labels, timeMs };
}

function describe(event: InstanceEvent): { readonly severity: Severity; readonly message: string } | undefined {
  switch (event.kind) {
    case 'started':
      return { severity: 'INFO', message: `Instance started: ${START_REASONS[event.reason]}` };
    case 'ready':
      return { severity: 'INFO', message: `Instance ready after ${Math.round(event.startMs)} ms` };
    case 'start_failed': {
      const exit = event.exit ? ` (${exitText(event.exit)})` : '';
      return { severity: 'ERROR', message: `Instance did not start: ${event.message}${exit}` };
    }
    case 'stopped': {
      const isKilled = event.exit.signal === 'SIGKILL';
      const how = isKilled ? '; it did not end on SIGTERM within 10 s and was killed' : '';
      return {
        severity: isKilled ? 'WARNING' : 'INFO',
        message: `Instance stopped: ${STOP_REASONS[event.reason]}${how}`,
      };
    }
    case 'crashed':
      return { severity: 'ERROR', message: `Instance crashed: ${exitText(event.exit)}` };
    case 'ended':
      return undefined;
  }
}

function exitText({ exitCode, signal, isOutOfMemory }: InstanceExit): string {
  if (isOutOfMemory) return 'out of memory; deploy with more `memory`, or use less';
  return signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
}
