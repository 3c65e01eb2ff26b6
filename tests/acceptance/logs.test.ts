import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deployed } from '../harness/deploy.ts';
import { expectError, expectIssues, placesOf } from '../harness/error-body.ts';
import { uniqueName } from '../harness/names.ts';
import { probe } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { RUNTIME } from '../harness/runtime.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const NANOSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;

const berth = useBerth();

async function probeService(): Promise<string> {
  const name = uniqueName('logs');
  await deployed(berth, name, { files: probe() });
  return name;
}

/** Has the service print `text`, and answers its entry. */
async function print(name: string, text: string, stream: 'stdout' | 'stderr' = 'stdout', message = text) {
  await request(berth, name, `/log?stream=${stream}&text=${encodeURIComponent(text)}`);
  return waitFor(`"${message}" is in the log`, async () => {
    const { logs } = await readLogs(berth, name);
    return logs.find((entry) => entry.message === message);
  });
}

describe('the log of a service', () => {
  it('holds what it prints, with its severity', async () => {
    verifies('service.output', 'logs.message', 'logs.severity-json', 'logs.severity-word', 'logs.severity-stream');
    const name = await probeService();
    expect((await print(name, 'plain')).severity).toBe('INFO');
    // Without the collector, which these servers don't have, the API server gives both streams as one.
    const ofStderr = RUNTIME === 'kubernetes' ? 'INFO' : 'WARNING';
    expect((await print(name, 'plain on stderr', 'stderr')).severity).toBe(ofStderr);
    expect((await print(name, 'ERROR: broken')).severity).toBe('ERROR');
    expect((await print(name, '[debug] detail', 'stderr')).severity).toBe('DEBUG');
    const json = (value: object, message: string) => print(name, JSON.stringify(value), 'stdout', message);
    expect((await json({ severity: 'CRITICAL', message: 'from json' }, 'from json')).severity).toBe('CRITICAL');
    expect((await json({ level: 'warning', message: 'by level' }, 'by level')).severity).toBe('WARNING');
    const bare = { order: 7, nested: { a: 1 } };
    expect((await json(bare, JSON.stringify(bare))).severity).toBe('INFO');
    expect((await print(name, '<script>alert(1)</script> \u001b[31mred ü')).severity).toBe('INFO');
  });

  it('is read oldest first, and followed by its cursor without a gap or a repeat', async () => {
    verifies('logs.newest', 'logs.since', 'logs.cursor', 'logs.cursor-presence');
    const name = await probeService();
    const lines = Array.from({ length: 25 }, (_value, index) => `line ${index}`);
    await request(berth, name, `/log?text=${encodeURIComponent(lines.join('\n'))}`);
    await print(name, 'the last');
    const { logs: all, cursor } = await waitFor('both requests are logged too', async () => {
      const read = await readLogs(berth, name);
      return read.logs.filter(({ message }) => message.startsWith('GET /log')).length === 2 && read;
    });
    expect(cursor).toMatch(NANOSECONDS);
    for (const entry of all) {
      expect(Object.keys(entry).sort()).toEqual(['message', 'severity', 'timestamp']);
      expect(entry.timestamp).toMatch(NANOSECONDS);
    }
    expect(all.map((entry) => entry.timestamp)).toEqual([...new Set(all.map((entry) => entry.timestamp))].sort());
    expect(all.map((entry) => entry.message).filter((message) => message.startsWith('line'))).toEqual(lines);

    const newest = await readLogs(berth, name, { limit: 3 });
    expect(newest.logs).toEqual(all.slice(-3));

    const followed = [...(await readLogs(berth, name, { since: '2000-01-01T00:00:00Z', limit: 4 })).logs];
    expect(followed).toEqual(all.slice(0, 4));
    while (followed.length < all.length) {
      const page = await readLogs(berth, name, { since: followed.at(-1)?.timestamp, limit: 4 });
      expect(page.logs.length).toBeGreaterThan(0);
      followed.push(...page.logs);
    }
    expect(followed.slice(0, all.length)).toEqual(all);
    const nothing = await readLogs(berth, name, { since: '2100-01-01T00:00:00Z' });
    expect(nothing).toEqual({ logs: [], cursor: expect.any(String) });
  });

  it('holds the requests that were served, and the life of the instances', async () => {
    verifies('logs.requests', 'logs.system', 'json.snake-case');
    const name = await probeService();
    await request(berth, name, '/status?code=418');
    await waitFor('the request is in the log', async () => {
      const { logs } = await readLogs(berth, name);
      return logs.some((entry) => entry.message.includes('/status?code=REDACTED 418'));
    });
    const { logs } = await readLogs(berth, name);
    expect(logs.some((entry) => /instance/i.test(entry.message) && /start/i.test(entry.message))).toBe(true);
  });

  it('outlives a restart of the platform', async () => {
    const name = await probeService();
    await print(name, 'before the restart');
    const before = (await readLogs(berth, name)).logs.find((entry) => entry.message === 'before the restart');
    await berth.stop();
    await berth.start();
    const after = (await readLogs(berth, name)).logs.find((entry) => entry.message === 'before the restart');
    expect(after).toEqual(before);
    const next = await print(name, 'after the restart');
    expect(next.timestamp > (before?.timestamp ?? '')).toBe(true);
  });
});

describe('a request for logs', () => {
  const ask = (body: unknown) => berth.post('/v1/deployment/logs', body);

  it('is checked', async () => {
    verifies('logs.limit');
    const wrong: [object, string][] = [
      [{}, 'body.deployment_name'],
      [{ deployment_name: 1 }, 'body.deployment_name'],
      [{ deployment_name: 'x', limit: 0 }, 'body.limit'],
      [{ deployment_name: 'x', limit: 1001 }, 'body.limit'],
      [{ deployment_name: 'x', limit: '5' }, 'body.limit'],
      [{ deployment_name: 'x', limit: 1.5 }, 'body.limit'],
      [{ deployment_name: 'x', since: 'yesterday' }, 'body.since'],
      [{ deployment_name: 'x', since: '2026-01-01' }, 'body.since'],
      [{ deployment_name: 'x', since: '2026-01-01T00:00:00' }, 'body.since'],
      [{ deployment_name: 'x', since: '2026-13-01T00:00:00Z' }, 'body.since'],
      [{ deployment_name: 'x', query: 'x'.repeat(20_001) }, 'body.query'],
    ];
    for (const [body, place] of wrong) expect(placesOf(await expectIssues(await ask(body)))).toEqual([place]);
  });

  it('takes null for what is not given, and a hundred entries', async () => {
    verifies('logs.limit', 'logs.newest');
    const name = await probeService();
    const lines = Array.from({ length: 120 }, (_value, index) => `entry ${index}`);
    await request(berth, name, `/log?text=${encodeURIComponent(lines.join('\n'))}`);
    await print(name, 'done');
    const answer = await ask({ deployment_name: name, since: null, query: null });
    expect(((await answer.json()) as { logs: unknown[] }).logs).toHaveLength(100);
  });

  it('for a name that nobody has is 404', async () => {
    await expectError(await ask({ deployment_name: 'nobody-has-this' }), 404);
    await expectError(await ask({ deployment_name: 'Not A Name' }), 404);
  });

  it('with a query answers what fits it, and says what is wrong with one', async () => {
    verifies('logs.query', 'logs.query-errors');
    const name = await probeService();
    await request(
      berth,
      name,
      `/log?text=${encodeURIComponent('{"severity":"ERROR","user":{"id":"u-7"}}\nERROR: other')}`,
    );
    await print(name, 'done');
    const query = 'severity>=ERROR AND jsonPayload.user.id="U-7"';
    const { logs } = (await (await ask({ deployment_name: name, query })).json()) as { logs: { message: string }[] };
    expect(logs.map((entry) => entry.message)).toEqual(['{"severity":"ERROR","user":{"id":"u-7"}}']);
    for (const wrong of ['(a', 'severity>=', 'textPayload=~"("', ') OR (a']) {
      const issues = await expectIssues(await ask({ deployment_name: name, query: wrong }));
      expect(placesOf(issues)).toEqual(['body.query']);
      expect(issues[0]?.msg).toMatch(/column \d+/);
    }
  });
});
