import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { needsEnforced } from '../harness/needs.ts';
import { probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { needsProcesses } from '../harness/runtime.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();

interface Attempt {
  readonly ok: boolean;
  /** What was read. */
  readonly value?: unknown;
}

describe('a service', () => {
  it('can read neither the platform’s data nor its environment', async (context) => {
    verifies('service.clean-environment');
    await needsEnforced(context, berth, 'sandbox');
    const name = uniqueName('spy');
    await deployed(berth, name, { files: probe() });
    const read = async (file: string) =>
      (await request(berth, name, `/read?path=${encodeURIComponent(file)}`)).json<Attempt>();
    expect(await read('/etc/passwd')).toMatchObject({ ok: true });
    const secrets = [`${berth.dataFolder}/api-key`, `/proc/${berth.pid}/environ`, '/proc/1/environ', '/etc/shadow'];
    for (const file of secrets) {
      const attempt = await read(file);
      expect([file, JSON.stringify(attempt).includes(berth.key)]).toEqual([file, false]);
      if (file !== '/proc/1/environ') expect([file, attempt.ok]).toEqual([file, false]);
    }
    const listing = await request(berth, name, `/list?path=${encodeURIComponent(berth.dataFolder)}`);
    // At most the way to its own folder, which may lie in there.
    for (const entry of ['api-key', 'berth.db', 'logs', 'master.key']) expect(listing.text).not.toContain(entry);
  });

  it('runs as a user of its own, which is not root', async (context) => {
    needsProcesses(context, 'containers are apart by their namespaces, whoever they run as');
    await needsEnforced(context, berth, 'user-isolation');
    const [one, two] = [uniqueName('one'), uniqueName('two')];
    await deployed(berth, one, { files: probe() });
    await deployed(berth, two, { files: probe() });
    const who = async (name: string) => (await request(berth, name, '/who')).json<{ uid: number; cwd: string }>();
    const [first, second] = [await who(one), await who(two)];
    expect(first.uid).not.toBe(0);
    expect(second.uid).not.toBe(first.uid);
  });
});
