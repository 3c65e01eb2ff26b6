import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { postDeploy } from '../harness/deploy.ts';
import { expectIssues, placesOf } from '../harness/error-body.ts';
import { greeter } from '../harness/project-files.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth({ env: { BERTH_RESERVED_NAMES: 'intranet,billing' } });
const files = greeter('never deployed');

/** Sends a form that must be refused, and answers where it is wrong. */
async function refusal(fields: Record<string, string | undefined>): Promise<string[]> {
  return placesOf(await expectIssues(await postDeploy(berth, 'refused', { files, fields })));
}

describe('a deploy form', () => {
  it.each([
    ['function_name', ['A', 'Upper', '1st', '-a', 'a-', 'a_b', 'a.b', 'a b', 'é', 'a'.repeat(64), 'a/../b', 'a\n']],
    ['port', ['0', '65536', '-1', '80.5', 'http', '1e3', '0x50', '99999999999999999999']],
    ['memory', ['127Mi', '33Gi', '1', '1gb', '1 Gi', '-1Gi', '1Ti', 'Gi', 'Infinity', '1e3Mi', '0Gi']],
    ['cpu', ['0', '0.07', '1.5', '3', '5', '7', '9', 'two', '-1', '1e0', 'NaN', 'Infinity']],
    ['timeout', ['0', '3601', '-5', '1.5', '10s']],
    ['concurrency', ['0', '1001', '-1', '2.5', 'many']],
    ['max_instances', ['-1', '1001', '1.5', 'all']],
    ['min_instances', ['-1', '1001', '1.5', 'all']],
    ['session_affinity', ['yes', 'no', '2', 'on']],
    ['use_http2', ['yes', 'TRUEE', '2']],
    ['health', ['healthz', '[]', '{', 'http://x/']],
    ['timezone', ['Mars/Olympus', '+02:00', 'UTC+2']],
  ])('with a wrong %s is 422 there', async (field, values) => {
    verifies('form.name', 'form.port', 'form.memory', 'form.cpu', 'form.timeout', 'form.concurrency');
    verifies('form.max-instances', 'form.booleans', 'form.timezone', 'form.health');
    for (const value of values) {
      expect([value, await refusal({ [field]: value })]).toEqual([value, [`body.${field}`]]);
    }
  });

  it('with more min_instances than max_instances is 422 at min_instances', async () => {
    verifies('form.min-instances');
    expect(await refusal({ min_instances: '3', max_instances: '2' })).toEqual(['body.min_instances']);
  });

  it.each(['api', 'console', 'storage', 'www', 'admin', 'static', 'intranet', 'billing'])(
    'with the reserved name %s is 422',
    async (name) => {
      verifies('form.name-reserved');
      expect(await refusal({ function_name: name })).toEqual(['body.function_name']);
    },
  );

  it.each([
    ['4', '1.9Gi'],
    ['6', '3.9Gi'],
    ['8', '2Gi'],
  ])('with cpu %s and %s of memory is 422 at memory', async (cpu, memory) => {
    verifies('form.memory-not-raised');
    expect(await refusal({ cpu, memory })).toEqual(['body.memory']);
  });

  it.each([
    ['no JSON', 'data', 'body.volumes'],
    ['empty', '', 'body.volumes'],
    ['an array', '[]', 'body.volumes'],
    ['null', 'null', 'body.volumes'],
    ['a relative path', '{"data":"v"}', 'body.volumes.data'],
    ['a path that is not normal', '{"/a/../b":"v"}', 'body.volumes./a/../b'],
    ['a trailing slash', '{"/a/":"v"}', 'body.volumes./a/'],
    ['the root', '{"/":"v"}', 'body.volumes./'],
    ['a system path', '{"/proc":"v"}', 'body.volumes./proc'],
    ['below a system path', '{"/etc/app":"v"}', 'body.volumes./etc/app'],
    ['a nested path', '{"/a":"v","/a/b":"w"}', 'body.volumes./a/b'],
    ['an upper-case volume', '{"/a":"Data"}', 'body.volumes./a'],
    ['a volume name of 64 characters', `{"/a":"${'v'.repeat(64)}"}`, 'body.volumes./a'],
    ['a volume without a name', '{"/a":{"read_only":true}}', 'body.volumes./a'],
    ['a number', '{"/a":1}', 'body.volumes./a'],
    ['read_only that is no boolean', '{"/a":{"name":"v","read_only":"yes"}}', 'body.volumes./a'],
    ['a sub_path upwards', '{"/a":{"name":"v","sub_path":"../x"}}', 'body.volumes./a'],
    ['an absolute sub_path', '{"/a":{"name":"v","sub_path":"/x"}}', 'body.volumes./a'],
  ])('with volumes of %s is 422 there', async (_title, volumes, place) => {
    verifies('form.volumes', 'form.mount-path', 'form.volume-name', 'form.sub-path');
    expect(await refusal({ volumes })).toEqual([place]);
  });

  it.each([
    ['four fields', '* * * *', 'body.schedule'],
    ['six fields', '* * * * * *', 'body.schedule'],
    ['a minute out of range', '60 * * * *', 'body.schedule'],
    ['a date that never comes', '0 0 30 2 *', 'body.schedule'],
    ['broken JSON', '{"cron":', 'body.schedule'],
    ['JSON without cron', '{"timezone":"UTC"}', 'body.schedule.cron'],
    ['JSON with a wrong cron', '{"cron":"often"}', 'body.schedule.cron'],
    ['JSON with a wrong zone', '{"cron":"0 5 * * *","timezone":"Mars"}', 'body.schedule.timezone'],
  ])('with a schedule of %s is 422 there', async (_title, schedule, place) => {
    verifies('form.schedule');
    expect(await refusal({ schedule })).toEqual([place]);
  });

  it('with a timezone that contradicts the schedule is 422', async () => {
    verifies('form.timezone');
    const schedule = '{"cron":"0 5 * * *","timezone":"Europe/Oslo"}';
    expect(await refusal({ schedule, timezone: 'Asia/Tokyo' })).toEqual(['body.timezone']);
  });

  it('needs exactly one source', async () => {
    verifies('form.source-exclusive', 'form.source-object');
    const none = await postDeploy(berth, 'refused', {});
    expect(placesOf(await expectIssues(none))).toEqual(['body.source_archive.0']);
    expect(await refusal({ source_object: 'volume/app.tar.gz' })).toEqual(['body.source_object']);
    for (const source_object of ['volume', '/', 'Volume/x', 'v/../x', 'v//x', '../etc/passwd']) {
      const answer = await postDeploy(berth, 'refused', { fields: { source_object } });
      expect(placesOf(await expectIssues(answer))).toEqual(['body.source_object']);
    }
  });

  it('that points to what is not there is 422', async () => {
    const fields = { source_object: 'sources/app.tar.gz' };
    const missing = await postDeploy(berth, 'refused', { fields });
    expect(placesOf(await expectIssues(missing))).toEqual(['body.source_object']);
    const wrong = await postDeploy(berth, 'refused', { fields: { ...fields, port: '0' } });
    expect(placesOf(await expectIssues(wrong))).toEqual(['body.port']);
  });

  it('without its required fields names each of them', async () => {
    verifies('form.name', 'form.volumes', 'error.all-fields');
    expect(await refusal({ function_name: undefined, volumes: undefined })).toEqual([
      'body.function_name',
      'body.volumes',
    ]);
  });

  it('with many faults lists them all', async () => {
    verifies('error.all-fields');
    const fields = {
      function_name: 'Bad',
      port: '0',
      memory: '1',
      cpu: '3',
      timeout: '0',
      volumes: '[]',
      schedule: 'x',
    };
    expect(await refusal(fields)).toEqual(
      Object.keys(fields)
        .map((field) => `body.${field}`)
        .sort(),
    );
  });

  it('that was refused stored nothing', async () => {
    verifies('form.before-stream');
    const list = await berth.api('/v1/deployment/list');
    expect(await list.json()).toEqual([]);
    expect(await (await berth.api('/v1/deployment/check-name?name=refused')).json()).toEqual({ available: true });
  });
});
