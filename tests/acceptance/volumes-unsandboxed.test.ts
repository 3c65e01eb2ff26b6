import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { request } from '../harness/request.ts';
import { needsProcesses } from '../harness/runtime.ts';
import { volumeClient } from '../harness/volumes.ts';

const SERVICE = {
  'package.json': '{"name":"keeper","scripts":{"start":"node main.js"}}',
  'main.js': `const { existsSync, readFileSync, writeFileSync } = require('fs');
  const [[mount, { path }]] = Object.entries(JSON.parse(process.env.BERTH_VOLUMES));
  writeFileSync(path + '/written', 'by the service');
  require('http').createServer((request, response) => {
    response.end(JSON.stringify({
      read: readFileSync(path + '/put', 'utf8'),
      isAtMount: existsSync(mount + '/put'),
    }));
  }).listen(process.env.PORT);`,
};

it('without a sandbox a volume whose path is taken is where BERTH_VOLUMES says, and the deploy says so', async (context) => {
  needsProcesses(context, 'a container has paths of its own');
  const taken = await mkdtemp(path.join(tmpdir(), 'berth-taken-'));
  const free = `${taken}-free`;
  await writeFile(path.join(taken, 'own'), 'of the machine');
  await using berth = await startBerth({ env: { BERTH_ISOLATION: 'none' } });
  for (const [mountPath, isAtMount] of [
    [taken, false],
    [free, true],
  ] as const) {
    const volume = volumeClient(berth, uniqueName('vol'));
    await volume.create();
    await volume.put('put', 'over HTTP');
    const name = uniqueName('keeper');
    const fields = { volumes: JSON.stringify({ [mountPath]: volume.name }) };
    const { events } = await deployed(berth, name, { files: SERVICE, fields });
    expect(events.some(({ message }) => message.includes('BERTH_VOLUMES'))).toBe(true);
    const answer = await request(berth, name);
    expect(await answer.json()).toEqual({ read: 'over HTTP', isAtMount });
    expect(Buffer.from((await volume.get('written')) ?? '').toString()).toBe('by the service');
    if (!isAtMount) {
      const log = await berth.post('/v1/deployment/logs', { deployment_name: name, query: 'logName=stderr' });
      expect(await log.text()).toContain(`the volume for ${taken} is not there`);
    }
  }
  await rm(taken, { recursive: true });
});
