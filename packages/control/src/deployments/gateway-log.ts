import type { GatewayEvents, InstanceSource } from '@berth/gateway';
import type { Clock } from '@berth/kit';
import { createOutputParser, type LogInput, type LogStore, type OutputParser } from '@berth/logstore';
import { instanceEventEntry } from './instance-event-entry.ts';
import { requestEntry } from './request-entry.ts';

export interface GatewayLogOptions {
  readonly logs: Pick<LogStore, 'append'>;
  readonly clock: Clock;
}

/** Writes what the gateway tells into the logs of the deployments: requests, instances and their output. */
export function createGatewayLog({ logs, clock }: GatewayLogOptions): GatewayEvents {
  const parsers = new Map<string, OutputParser>();
  const append = (source: InstanceSource | { account: string; deployment: string }, entries: readonly LogInput[]) => {
    if (entries.length === 0) return;
    return logs.append({ account: source.account, deployment: source.deployment }, entries);
  };
  const parserOf = (source: InstanceSource): OutputParser => {
    const known = parsers.get(source.instance);
    if (known) return known;
    const { revision, instance } = source;
    const parser = createOutputParser({
      revision,
      instance,
      clock,
      onQuiet: (entries) => void append(source, entries),
    });
    parsers.set(instance, parser);
    return parser;
  };
  return {
    onRequest: (record) => void append(record, [requestEntry(record)]),
    onInstance(event) {
      const entries: LogInput[] = [];
      if (event.kind !== 'started' && event.kind !== 'ready') {
        // It has ended, and all of its output was handed over: what it printed comes before what became of it.
        entries.push(...(parsers.get(event.instance)?.end() ?? []));
        parsers.delete(event.instance);
      }
      const entry = instanceEventEntry(event);
      void append(event, entry ? [...entries, entry] : entries);
    },
    onOutput: (source, stream, chunk) => append(source, parserOf(source).push(stream, chunk)),
  };
}
