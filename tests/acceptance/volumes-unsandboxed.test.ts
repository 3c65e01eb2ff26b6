import { existsSync } from 'node:fs';
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
      isAtMount: existsSync(mount),
    }));
  }).listen(process.env.PORT);`,
};

// Fails when a start makes a link at the mount path, on the machine.
it('without a sandbox a volume is where BERTH_VOLUMES says, and the deploy and the log say so', async (context) => {
  needsProcesses(context, 'a container has paths of its own');
  await using berth = await startBerth({ env: { BERTH_ISOLATION: 'none' } });
  const name = uniqueName('keeper');
  for (const mountPath of [`/${name}`, `/srv/${name}`]) {
    const volume = volumeClient(berth, uniqueName('vol'));
    await volume.create();
    await volume.put('put', 'over HTTP');
    const fields = { volumes: JSON.stringify({ [mountPath]: volume.name }) };
    const { events } = await deployed(berth, name, { files: SERVICE, fields });
    expect(events.some(({ message }) => message.includes('BERTH_VOLUMES'))).toBe(true);
    const answer = await request(berth, name);
    expect(await answer.json()).toEqual({ read: 'over HTTP', isAtMount: false });
    expect(existsSync(mountPath)).toBe(false);
    expect(Buffer.from((await volume.get('written')) ?? '').toString()).toBe('by the service');
    const log = await berth.post('/v1/deployment/logs', { deployment_name: name, query: 'logName=stderr' });
    expect(await log.text()).toContain(`the one for ${mountPath} is at`);
  }
});
