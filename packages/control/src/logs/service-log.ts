import type { GatewayEvents, InstanceEvent, InstanceSource } from '@berth/gateway';
import type { Clock } from '@berth/kit';
import { createOutputParser, type LogInput, type LogScope, type LogStore, type OutputParser } from '@berth/logstore';
import { describeInstanceEvent } from './describe-instance-event.ts';
import { toRequestEntry } from './to-request-entry.ts';

/**
 * Writes the gateway's events into the deployments' logs: each request, each instance event, and each line an
 * instance prints. Output precedes the event that ends its instance, even if its last line is incomplete.
 */
export function createServiceLog({ logs, clock }: { readonly logs: LogStore; readonly clock: Clock }): GatewayEvents {
  const parsers = new Map<string, OutputParser>();

  function parserOf(source: InstanceSource): OutputParser {
    let parser = parsers.get(source.instance);
    if (!parser) {
      const { revision, instance } = source;
      const onQuiet = (entries: readonly LogInput[]) => void logs.append(scopeOf(source), entries);
      parser = createOutputParser({ revision, instance, clock, onQuiet });
      parsers.set(instance, parser);
    }
    return parser;
  }

  function endOutput(source: InstanceSource): void {
    const rest = parsers.get(source.instance)?.end() ?? [];
    parsers.delete(source.instance);
    if (rest.length > 0) void logs.append(scopeOf(source), rest);
  }

  return {
    onRequest(record) {
      void logs.append(scopeOf(record), [toRequestEntry(record)]);
    },
    onInstance(event) {
      if (event.kind === 'billed' || event.kind === 'measured') return;
      if (END_KINDS.has(event.kind)) endOutput(event);
      const described = describeInstanceEvent(event);
      if (!described) return;
      const { revision, instance, timeMs } = event;
      void logs.append(scopeOf(event), [{ logName: 'system', ...described, revision, instance, timeMs }]);
    },
    onOutput(source, stream, chunk) {
      const parser = parserOf(source);
      const entries = parser.push(stream, chunk);
      if (entries.length === 0) return undefined;
      const taken = logs.append(scopeOf(source), entries);
      if (taken) void taken.then(parser.hold());
      return taken;
    },
  };
}

/** The events after which an instance prints nothing more. */
const END_KINDS: ReadonlySet<InstanceEvent['kind']> = new Set(['start_failed', 'stopped', 'crashed', 'ended']);

function scopeOf({ account, deployment }: LogScope): LogScope {
  return { account, deployment };
}
