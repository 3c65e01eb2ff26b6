import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deploy, deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth({ env: { BERTH_MEMORY_BUDGET: '300Mi' } });

describe('a machine with room for 300Mi', () => {
  it('refuses a service of 512Mi with out_of_capacity, and the next one fits', async () => {
    verifies('code.out-of-capacity');
    const { last } = await deploy(berth, uniqueName('large'), { files: greeter('x'), fields: { memory: '512Mi' } });
    expect(last).toMatchObject({ status: 'ERROR', code: 'out_of_capacity' });
    expect(last.message).toMatch(/512 ?Mi/);
    const name = uniqueName('small');
    await deployed(berth, name, { files: greeter('fits'), fields: { memory: '128Mi' } });
    expect((await request(berth, name)).text).toBe('fits');
  });

  it('serves three services of 128Mi in turn, the idle ones making room', async () => {
    verifies('address.cold');
    const names = [uniqueName('one'), uniqueName('two'), uniqueName('three')];
    for (const name of names) await deployed(berth, name, { files: greeter(name), fields: { memory: '128Mi' } });
    for (const name of [...names, ...names]) expect((await request(berth, name)).text).toBe(name);
  });
});
