import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { useBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';

const berth = useBerth();

interface Attempt {
  readonly ok: boolean;
  readonly value?: unknown;
}

describe('a service', () => {
  it('can read neither the platform’s data nor its environment', async () => {
    verifies('service.clean-environment');
    const name = uniqueName('spy');
    await deployed(berth, name, { files: probe() });
    const read = async (file: string) =>
      (await request(berth, name, `/read?path=${encodeURIComponent(file)}`)).json<Attempt>();
    expect(await read('/etc/hostname')).toMatchObject({ ok: true });
    const secrets = [`${berth.dataFolder}/api-key`, `/proc/${berth.pid}/environ`, '/proc/1/environ', '/etc/shadow'];
    for (const file of secrets) {
      const attempt = await read(file);
      expect([file, JSON.stringify(attempt).includes(berth.key)]).toEqual([file, false]);
      if (file !== '/proc/1/environ') expect([file, attempt.ok]).toEqual([file, false]);
    }
    const listing = await request(berth, name, `/list?path=${encodeURIComponent(berth.dataFolder)}`);
    expect(listing.json<Attempt>().ok).toBe(false);
  });

  it('does not run as root, and can not write to its own program or to another service’s', async (context) => {
    if (process.getuid?.() !== 0) context.skip('needs a server that is root, to have users of its own for services');
    const [one, two] = [uniqueName('one'), uniqueName('two')];
    await deployed(berth, one, { files: probe() });
    await deployed(berth, two, { files: probe() });
    const who = async (name: string) => (await request(berth, name, '/who')).json<{ uid: number; cwd: string }>();
    const [first, second] = [await who(one), await who(two)];
    expect(first.uid).not.toBe(0);
    expect(second.uid).not.toBe(first.uid);
  });

  it('can not reach what listens beside it under another name', async () => {
    const name = uniqueName('neighbour');
    await deployed(berth, name, { files: probe() });
    const answer = await request(berth, name, '/connect?host=169.254.169.254&port=80');
    expect(answer.json<Attempt>().ok).toBe(false);
  });
});
