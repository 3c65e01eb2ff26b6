import { expect, it } from 'vitest';
import { startBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { findProcesses } from '../harness/processes.ts';
import { probe } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

it('an idle service is suspended, and goes on where it stood at the next request', async (context) => {
  await needs(context, 'freezer');
  await using berth = await startBerth({ env: { BERTH_ADMIN_PORT: '0', BERTH_SUSPEND_AFTER: '1' } });
  const adminUrl = /Metrics\s+(http:\/\/127\.0\.0\.1:\d+)\/metrics/.exec(berth.output)?.[1];
  const name = uniqueName('frozen');
  await deployed(berth, name, { files: probe() });
  type Root = { readonly instance: string; readonly served: number };
  const before = (await request(berth, name)).json<Root>();
  const scrape = async () => (await fetch(`${adminUrl}/metrics`)).text();
  await waitFor('it is suspended', async () => {
    const text = await scrape();
    // The state is that of who asks for it; the counter waits until it is done.
    const signs = [
      `berth_instances{deployment="${name}",state="suspended"} 1\n`,
      'berth_instance_suspensions_total 1\n',
    ];
    return signs.every((sign) => text.includes(sign));
  });

  const startedMs = performance.now();
  const after = (await request(berth, name)).json<Root>();
  const tookMs = performance.now() - startedMs;
  // At once: in a second it is suspended again.
  const text = await scrape();
  // The same process: its memory is what it was. A start of Node takes longer than this on any machine.
  expect(after).toEqual({ ...before, served: before.served + 1 });
  const messages = await waitFor('the request is logged', async () => {
    const all = (await readLogs(berth, name)).logs.map((entry) => entry.message);
    return all.some((message) => /^GET \/ 200 \d+ ms \(resumed in \d+ ms\)$/.test(message)) && all;
  });
  const resumed = messages.find((message) => message.startsWith('Instance resumed in '));
  expect(Number(/in ([\d.]+) ms/.exec(resumed ?? '')?.[1])).toBeLessThan(tookMs);
  expect(messages.filter((message) => message.startsWith('Instance started'))).toHaveLength(1);
  expect(text).toContain('berth_instance_suspensions_total 1\n');
  expect(text).toContain('berth_instance_resume_seconds_count 1\n');

  // What stands still can be ended: nothing is left of it.
  await waitFor('it is suspended again', async () => (await scrape()).includes('berth_instance_suspensions_total 2\n'));
  expect((await berth.post('/v1/deployment/delete', { name })).status).toBe(200);
});

// Fails when an instance counts as resumed before the platform knows that it was killed: the POST is answered with 502.
it('a request to a suspended service whose program was killed is served by a new instance', async (context) => {
  await needs(context, 'freezer');
  await using berth = await startBerth({ env: { BERTH_SUSPEND_AFTER: '1' } });
  const name = uniqueName('killed');
  await deployed(berth, name, { files: probe() });
  const { instance } = (await request(berth, name)).json<{ readonly instance: string }>();
  await waitFor('it is suspended', async () =>
    (await readLogs(berth, name)).logs.some(({ message }) => message.startsWith('Instance suspended')),
  );
  const [program] = findProcesses(`K_SERVICE=${name}`).filter(({ command }) => command.endsWith('server.js'));
  process.kill(program!.pid, 'SIGKILL');
  const answer = await request(berth, name, '/', { method: 'POST' });
  expect(answer.status).toBe(200);
  expect(answer.json<{ readonly instance: string }>().instance).not.toBe(instance);
});
