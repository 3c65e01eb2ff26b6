import type { GatewayEvents, InstanceEvent, RequestRecord } from '@berth/gateway';
import { expect, test } from 'vitest';
import { fanOutGatewayEvents } from './fan-out-gateway-events.ts';

function createRecorder(calls: string[], name: string, output?: Promise<void>): GatewayEvents {
  return {
    onRequest: () => void calls.push(`${name} request`),
    onInstance: () => void calls.push(`${name} instance`),
    onOutput() {
      calls.push(`${name} output`);
      return output;
    },
  };
}

test('tells the log first and all others after it; output is the back-pressure of the log alone', () => {
  const calls: string[] = [];
  const pressure = Promise.resolve();
  const events = fanOutGatewayEvents(createRecorder(calls, 'log', pressure), [
    createRecorder(calls, 'first'),
    createRecorder(calls, 'second'),
  ]);
  events.onRequest({} as RequestRecord);
  events.onInstance({} as InstanceEvent);
  const source = { account: 'a', deployment: 'b', revision: 'c', instance: 'd' };
  expect(events.onOutput(source, 'stdout', Buffer.from('x'))).toBe(pressure);
  expect(calls).toEqual([
    ...['log request', 'first request', 'second request'],
    ...['log instance', 'first instance', 'second instance'],
    'log output',
  ]);
});
