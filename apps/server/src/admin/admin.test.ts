import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSilentLogger } from '@berth/kit';
import { describe, expect, it } from 'vitest';
import { createPlatformMetrics } from '../metrics/create-platform-metrics.ts';
import { createProcessMeter } from '../metrics/process-figures.ts';
import { readExposition } from '../metrics/read-exposition.test-support.ts';
import { type AdminParts, createAdminApp, openAdmin } from './open-admin.ts';

function createParts(changes: Partial<AdminParts> = {}): AdminParts {
  const metrics = createPlatformMetrics({ version: '1.2.3', processText: createProcessMeter().text });
  metrics.onDeployEnded('build_failed');
  return {
    logger: createSilentLogger(),
    metricsType: metrics.contentType,
    scrape: () => metrics.scrape([]),
    fetchApi: (request) => new Response(`the api's ${new URL(request.url).pathname}`),
    ...changes,
  };
}

describe('the admin listener', () => {
  it('serves metrics as Prometheus reads them, those of the process too', async () => {
    const answer = await createAdminApp(createParts()).request('/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const { types, value } = readExposition(await answer.text());
    expect(types.get('berth_request_duration_seconds')).toBe('histogram');
    expect(types.get('berth_requests_total')).toBe('counter');
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(value('berth_build_info', { version: '1.2.3', node_version: process.versions.node })).toBe(1);
    expect(value('berth_deploys_total', { result: 'build_failed' })).toBe(1);
    expect(value('berth_deploys_total', { result: 'done' })).toBe(0);
  });

  it("serves the API's health routes", async () => {
    const app = createAdminApp(createParts());
    for (const path of ['/healthz', '/readyz'])
      expect(await (await app.request(path)).text()).toBe(`the api's ${path}`);
  });

  it.each([
    ['GET', '/'],
    ['GET', '/v1/deployment/list'],
    ['GET', '/openapi.json'],
    ['GET', '/metrics/'],
    ['GET', '//metrics'],
    ['GET', '/healthz/../v1/deployment/list'],
    ['POST', '/metrics'],
    ['DELETE', '/readyz'],
  ])('serves nothing else: %s %s', async (method, path) => {
    let calls = 0;
    const fetchApi = () => {
      calls++;
      return new Response('secret');
    };
    const answer = await createAdminApp(createParts({ fetchApi })).request(`http://admin${path}`, { method });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ detail: 'Only GET /metrics, /healthz and /readyz are served here.' });
    expect(calls).toBe(0);
  });

  it('keeps the reason of a failure for the log', async () => {
    const scrape = () => Promise.reject(new Error('the inner reason'));
    const answer = await createAdminApp(createParts({ scrape })).request('/metrics');
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('inner reason');
  });
});

describe('over a socket', () => {
  it('answers a scraper, and ends its connection when it closes', async () => {
    const admin = await openAdmin({ host: '127.0.0.1', port: 0 }, createParts());
    expect(admin.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const socket = connect(Number(new URL(admin.url).port), '127.0.0.1');
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    const all = text(socket);
    await new Promise((resolve) => socket.once('readable', resolve));
    const scraped = await fetch(`${admin.url}/metrics`, { headers: { connection: 'close' } });
    expect(readExposition(await scraped.text()).types.get('berth_instances')).toBe('gauge');
    await admin.close();
    await admin.close();
    expect(await all).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    await expect(fetch(`${admin.url}/metrics`)).rejects.toThrow();
  });

  it('says so when its port is taken', async () => {
    const first = await openAdmin({ host: '127.0.0.1', port: 0 }, createParts());
    const port = Number(new URL(first.url).port);
    await expect(openAdmin({ host: '127.0.0.1', port }, createParts())).rejects.toMatchObject({ code: 'conflict' });
    await first.close();
  });
});
