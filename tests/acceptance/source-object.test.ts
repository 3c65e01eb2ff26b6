import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { createAccount } from '../harness/accounts.ts';
import { deploy, deployed, postDeploy } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter, probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { packProject } from '../harness/tar.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();
const volume = uniqueName('sources');

describe('a deploy from an archive in a volume', () => {
  it('builds it', async () => {
    verifies('form.source-object');
    const [writer, name] = [uniqueName('writer'), uniqueName('from-volume')];
    await deployed(berth, writer, { files: probe(), fields: { volumes: `{"/data":"${volume}"}` } });
    const body = packProject(greeter('out of a volume'));
    const saved = await request(berth, writer, '/save?path=/data/app.tar.gz', { method: 'PUT', body });
    expect(saved.json()).toMatchObject({ ok: true });
    await deployed(berth, name, { fields: { source_object: `${volume}/app.tar.gz` } });
    expect((await request(berth, name)).text).toBe('out of a volume');
  });

  it('that is not there, or is another account’s, is refused without telling the two apart', async () => {
    verifies('form.source-object');
    const other = await createAccount(berth, uniqueName('other'));
    const asked: [string, string][] = [
      [`${volume}/nothing.tar.gz`, berth.key],
      [`${uniqueName('no-volume')}/app.tar.gz`, berth.key],
      [`${volume}/app.tar.gz`, other.key],
    ];
    for (const [source_object, key] of asked) {
      const name = uniqueName('refused');
      const answer = await postDeploy(berth, name, { fields: { source_object }, key });
      if (answer.status === 200) {
        const again = await deploy(berth, name, { fields: { source_object }, key });
        expect(again.last).toMatchObject({ status: 'ERROR', code: 'archive_invalid' });
      } else expect([404, 422]).toContain(answer.status);
    }
  });
});
