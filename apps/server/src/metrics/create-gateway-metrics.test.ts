import type { InstanceEvent, RequestRecord, ServiceLoad } from '@berth/gateway';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { createGatewayMetrics } from './create-gateway-metrics.ts';
import { readExposition } from './read-exposition.test-support.ts';

const SOURCE = { account: 'acme', deployment: 'shop', revision: 'shop-00001', instance: 'inst_1' };
const EXIT = { exitCode: 9, signal: null, isOutOfMemory: false, isRequested: false };

function createScraped(maxDeployments?: number) {
  const registry = new Registry();
  const metrics = createGatewayMetrics({ registry, ...(maxDeployments === undefined ? {} : { maxDeployments }) });
  const scrape = async (...loads: ServiceLoad[]) => {
    metrics.refresh(loads);
    return readExposition((await registry.metrics()) + metrics.durationText());
  };
  return { metrics, scrape };
}

function request(changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...SOURCE,
    startedAtMs: 1,
    method: 'GET',
    url: '/',
    host: 'shop.localhost',
    protocol: 'HTTP/1.1',
    status: 200,
    latencyMs: 12,
    requestSize: 10,
    responseSize: 20,
    remoteIp: '127.0.0.1',
    userAgent: 'curl/8',
    trace: '0af7651916cd43dd8448eb211c80319c',
    ...changes,
  };
}

function load(deployment: string, changes: Partial<ServiceLoad> = {}): ServiceLoad {
  return { deployment, inFlight: 0, queued: 0, busy: 0, instances: {}, ...changes };
}

const event = (what: object): InstanceEvent => ({ ...SOURCE, timeMs: 1, ...what }) as InstanceEvent;

describe('requests', () => {
  test.each([
    [101, '1xx'],
    [200, '2xx'],
    [304, '3xx'],
    [499, '4xx'],
    [503, '5xx'],
    [0, '1xx'],
    [999, '5xx'],
  ])('status %i is counted as %s', async (status, code_class) => {
    const { metrics, scrape } = createScraped();
    metrics.onRequest(request({ status }));
    const counted = (await scrape(load('shop'))).samples.filter(
      ({ name, value }) => name === 'berth_requests_total' && value > 0,
    );
    expect(counted).toEqual([{ name: 'berth_requests_total', labels: { deployment: 'shop', code_class }, value: 1 }]);
  });

  test('that fail are a zero before the first does', async () => {
    const { metrics, scrape } = createScraped();
    metrics.onRequest(request());
    const { value } = await scrape(load('shop'));
    expect(value('berth_requests_total', { deployment: 'shop', code_class: '5xx' })).toBe(0);
  });

  test('go on counting from scrape to scrape', async () => {
    const { metrics, scrape } = createScraped();
    const labels = { deployment: 'shop', code_class: '2xx' };
    for (const total of [1, 2, 3]) {
      metrics.onRequest(request());
      expect((await scrape(load('shop'))).value('berth_requests_total', labels)).toBe(total);
    }
  });

  test('fall into the bucket of their seconds; the life of a WebSocket is no latency', async () => {
    const { metrics, scrape } = createScraped();
    for (const latencyMs of [3, 12, 400_000]) metrics.onRequest(request({ latencyMs }));
    metrics.onRequest(request({ status: 101, latencyMs: 900_000 }));
    const { value } = await scrape(load('shop'));
    const bucket = (le: string) => value('berth_request_duration_seconds_bucket', { le });
    expect([bucket('0.0025'), bucket('0.005'), bucket('0.025'), bucket('300'), bucket('+Inf')]).toEqual([
      0, 1, 2, 2, 3,
    ]);
    expect(value('berth_request_duration_seconds_sum')).toBeCloseTo(400.015);
    expect(value('berth_request_duration_seconds_count')).toBe(3);
  });

  test('that waited for an instance tell each part, the others none', async () => {
    const { metrics, scrape } = createScraped();
    metrics.onRequest(request());
    const coldStart = { queuedMs: 1, scheduledMs: 20, spawnedMs: 60, portOpenMs: 400, firstByteMs: 410 };
    metrics.onRequest(request({ coldStart }));
    const { value } = await scrape(load('shop'));
    const sums = ['queued', 'scheduled', 'spawned', 'port_open', 'first_byte'].map((part) => [
      value('berth_cold_start_seconds_count', { part }),
      value('berth_cold_start_seconds_sum', { part }),
    ]);
    expect(sums).toEqual([
      [1, 0.001],
      [1, 0.02],
      [1, 0.06],
      [1, 0.4],
      [1, 0.41],
    ]);
  });
});

test('instances are counted by how they begin and end', async () => {
  const { metrics, scrape } = createScraped();
  metrics.onInstance(event({ kind: 'started', reason: 'request' }));
  metrics.onInstance(event({ kind: 'started', reason: 'request' }));
  metrics.onInstance(event({ kind: 'start_failed', message: 'no' }));
  metrics.onInstance(event({ kind: 'crashed', exit: EXIT }));
  metrics.onInstance(event({ kind: 'stopped', reason: 'idle', exit: EXIT }));
  metrics.onInstance(event({ kind: 'ended' }));
  const { value } = await scrape(load('shop'));
  expect(value('berth_instance_starts_total', { reason: 'request' })).toBe(2);
  expect(value('berth_instance_starts_total', { reason: 'deploy' })).toBe(0);
  expect(value('berth_instance_start_failures_total')).toBe(1);
  expect(value('berth_instance_crashes_total')).toBe(1);
});

test('gauges show the loads of this scrape, not of the one before', async () => {
  const { metrics, scrape } = createScraped();
  metrics.onRequest(request());
  const busy = await scrape(load('shop', { inFlight: 3, queued: 2, instances: { ready: 2, draining: 1 } }));
  expect(busy.value('berth_requests_in_flight', { deployment: 'shop' })).toBe(3);
  expect(busy.value('berth_queue_length', { deployment: 'shop' })).toBe(2);
  expect(busy.value('berth_instances', { deployment: 'shop', state: 'ready' })).toBe(2);
  expect(busy.value('berth_instances', { deployment: 'shop', state: 'draining' })).toBe(1);
  expect(busy.value('berth_instances_busy', { deployment: 'shop' })).toBeUndefined();
  const atWork = await scrape(load('shop', { busy: 1, instances: { ready: 1 } }));
  expect(atWork.value('berth_instances_busy', { deployment: 'shop' })).toBe(1);
  const idle = await scrape(load('shop', { instances: { suspended: 1 } }));
  expect(idle.value('berth_instances_busy', { deployment: 'shop' })).toBeUndefined();
  expect(idle.value('berth_requests_in_flight', { deployment: 'shop' })).toBe(0);
  expect(idle.value('berth_instances', { deployment: 'shop', state: 'ready' })).toBe(0);
  expect(idle.value('berth_instances', { deployment: 'shop', state: 'draining' })).toBeUndefined();
  expect(idle.value('berth_instances', { deployment: 'shop', state: 'suspended' })).toBe(1);
});

describe('series of deployments', () => {
  const namesIn = ({ samples }: Awaited<ReturnType<ReturnType<typeof createScraped>['scrape']>>) =>
    [...new Set(samples.flatMap(({ labels }) => labels['deployment'] ?? []))].sort();

  test('are bounded: the rest share one, and nothing is lost', async () => {
    const { metrics, scrape } = createScraped(2);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const deployment of [...names, 'c']) metrics.onRequest(request({ deployment }));
    const scraped = await scrape(...names.map((name) => load(name, { inFlight: 1, instances: { ready: 2 } })));
    expect(namesIn(scraped)).toEqual(['a', 'b', 'other']);
    expect(scraped.value('berth_requests_total', { deployment: 'other', code_class: '2xx' })).toBe(4);
    expect(scraped.value('berth_requests_in_flight', { deployment: 'other' })).toBe(3);
    expect(scraped.value('berth_instances', { deployment: 'other', state: 'ready' })).toBe(6);
    const { samples } = scraped;
    const total = samples
      .filter(({ name }) => name === 'berth_requests_total')
      .reduce((sum, one) => sum + one.value, 0);
    expect(total).toBe(6);
  });

  test('go when the deployment is deleted, and make room', async () => {
    const { metrics, scrape } = createScraped(1);
    metrics.onRequest(request({ deployment: 'old' }));
    expect(namesIn(await scrape(load('old')))).toEqual(['old']);
    expect(namesIn(await scrape())).toEqual([]);
    metrics.onRequest(request({ deployment: 'new' }));
    expect(namesIn(await scrape(load('new')))).toEqual(['new']);
    metrics.onRequest(request({ deployment: 'old' }));
    expect(namesIn(await scrape(load('new')))).toEqual(['new', 'other']);
  });

  test('start anew for a name that is used again', async () => {
    const { metrics, scrape } = createScraped();
    const labels = { deployment: 'shop', code_class: '2xx' };
    for (let count = 0; count < 5; count++) metrics.onRequest(request());
    await scrape();
    metrics.onRequest(request());
    expect((await scrape(load('shop'))).value('berth_requests_total', labels)).toBe(1);
  });

  test('are not there for what was never used', async () => {
    const { scrape } = createScraped();
    const scraped = await scrape(load('sleeper-1'), load('sleeper-2'));
    expect(namesIn(scraped)).toEqual(['other']);
    expect(scraped.value('berth_requests_in_flight', { deployment: 'other' })).toBe(0);
  });

  test('a deployment named as the rest is counted with the rest', async () => {
    const { metrics, scrape } = createScraped();
    metrics.onRequest(request({ deployment: 'other' }));
    const scraped = await scrape(load('other', { inFlight: 1 }), load('sleeper', { inFlight: 2 }));
    expect(scraped.value('berth_requests_in_flight', { deployment: 'other' })).toBe(3);
    expect(scraped.value('berth_requests_total', { deployment: 'other', code_class: '2xx' })).toBe(1);
  });
});
