import { describe, expect, it } from 'vitest';
import { startBerth } from '../harness/berth.ts';
import { deploy, deployed } from '../harness/deploy.ts';
import { expectError } from '../harness/error-body.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

describe('metrics', () => {
  it('are on a listener of their own and never on the public port', async () => {
    await using berth = await startBerth({ env: { BERTH_ADMIN_PORT: '0' } });
    const adminUrl = /Metrics\s+(http:\/\/127\.0\.0\.1:\d+)\/metrics/.exec(berth.output)?.[1];
    const scrape = async () => (await fetch(`${adminUrl}/metrics`)).text();
    const name = uniqueName('measured');
    await deployed(berth, name, { files: greeter('hi') });
    expect((await request(berth, name)).status).toBe(200);
    // A request is counted when it has ended, which its client may see first.
    await waitFor('the request is counted', async () =>
      (await scrape()).includes(`berth_requests_total{deployment="${name}",code_class="2xx"} 1\n`),
    );
    expect((await deploy(berth, uniqueName('unknown'), { files: { 'notes.txt': 'x' } })).last.code).toBe(
      'build_failed',
    );
    const text = await scrape();
    expect(text).toContain(`berth_instances{deployment="${name}",state="ready"} 1\n`);
    expect(text).toContain('berth_instance_starts_total{reason="deploy"} 1\n');
    expect(text).toContain('berth_deploys_total{result="done"} 1\n');
    expect(text).toContain('berth_deploys_total{result="build_failed"} 1\n');
    expect(text).toMatch(/^process_cpu_seconds_total(\{role="main"\})? \d/m);
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    expect((await fetch(`${adminUrl}/v1/deployment/list`, { headers: { 'X-API-Key': berth.key } })).status).toBe(404);

    await expectError(await berth.api('/metrics'), 404);
    expect((await berth.post('/v1/deployment/delete', { name })).status).toBe(200);
    await waitFor('its series are gone', async () => !(await scrape()).includes(name));
  });

  it('are not there unless a port is set', async () => {
    await using berth = await startBerth();
    expect(berth.output).not.toContain('Metrics');
    await expectError(await berth.api('/metrics'), 404);
  });
});
